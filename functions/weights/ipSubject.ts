import ipaddr from 'ipaddr.js';

/**
 * Returns the address that an IP address is counted under: an IPv4 address itself, an IPv6 address its /64, which is what
 * one subscriber is given. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function ipSubject(sourceIp: string): string {
  if (!ipaddr.isValid(sourceIp)) return sourceIp;
  const address = ipaddr.process(sourceIp);
  if (address.kind() === 'ipv4') return address.toString();
  return `${new ipaddr.IPv6([...address.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toRFC5952String()}/64`;
}
