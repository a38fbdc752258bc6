import { startServer } from '../setup/server.ts';

/**
 * Serves the files of a log over HTTP.
 * @param read returns a file; undefined if there is none
 */
export async function serveFiles(read: (path: string) => Uint8Array | undefined) {
  const { url, close } = await startServer(({ url = '' }, response) => {
    const bytes = read(url.slice(1));
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  return { url: `${url}/`, close };
}
