import http from 'node:http';
import { Failure } from './failure.ts';

/** The proxy in use, with the names of a host in NO_PROXY. */
let used: { readonly HTTPS_PROXY: string; readonly NO_PROXY: string } | undefined;
let restore = () => {};

/** The options that make an agent of `node:https` use the proxy. Node gives them to its own agents only. */
export const agentOptions = () => ({ proxyEnv: used });

/** Returns the words about the proxy that the message of a failed connection must add. */
export const proxyRemark = (): string => (used ? '; HTTPS_PROXY is set' : '');

/** Returns the status with which a proxy refused to connect; undefined: this is no such error of fetch. */
export const statusOfProxy = ({ cause }: Error): string | undefined =>
  cause instanceof Error ? (/^Proxy response \((\d+)\)/.exec(cause.message)?.[1] ?? statusOfProxy(cause)) : undefined;

/**
 * Makes what this process sends by HTTPS go through the proxy of HTTPS_PROXY, except to the hosts of NO_PROXY, as curl
 * does: a name in lower case comes first, a URL may lack `http://`, and the name of a domain includes those below it.
 * @returns why the proxy is not used, for people; undefined: it is, or none is set
 * @throws Failure if HTTPS_PROXY is not a URL of HTTP
 */
export function useProxy(env: NodeJS.ProcessEnv): string | undefined {
  restore();
  [used, restore] = [undefined, () => {}];
  const given = env.https_proxy || env.HTTPS_PROXY;
  if (!given) return undefined;
  const url = given.includes('://') ? given : `http://${given}`;
  // It may have a password, so that no message shows it.
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const advice = 'Give a URL such as http://proxy.example.com:3128, or unset it.';
    throw new Failure('usage', 'HTTPS_PROXY is not the URL of an HTTP proxy.', { advice });
  }
  if (http.setGlobalProxyFromEnv === undefined) {
    const isOption = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
    if (isOption && env.NODE_USE_ENV_PROXY === '1') return undefined;
    const advice = isOption ? 'set NODE_USE_ENV_PROXY=1' : 'use Node 24.14 or later';
    return `HTTPS_PROXY is not used by Node ${process.version}: ${advice}.`;
  }
  const hosts = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
  const domains = hosts.map((host) => host.replace(/^\*?\./, '')).flatMap((host) => [host, `.${host}`]);
  used = { HTTPS_PROXY: url, NO_PROXY: hosts.includes('*') ? '*' : domains.join(',') };
  restore = http.setGlobalProxyFromEnv(used);
  return undefined;
}
