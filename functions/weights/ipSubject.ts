import ipaddr from 'ipaddr.js';

/**
 * Returns the subject that an IP address counts for: an IPv4 address itself, or the /64 of an IPv6 address, because one
 * subscriber usually has a whole /64. An IPv4-mapped address (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function ipSubject(sourceIp: string): string {
  if (!ipaddr.isValid(sourceIp)) return sourceIp;
  const address = ipaddr.process(sourceIp);
  if (address.kind() === 'ipv4') return address.toString();
  return `${new ipaddr.IPv6([...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toRFC5952String()}/64`;
}
