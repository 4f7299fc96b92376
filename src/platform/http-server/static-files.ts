import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { Readable } from 'node:stream'
import { acceptedEncodings } from './accepted-encodings.ts'

const mediaTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

type Options = {
  folder: string
  /** The base path of the public URL: in index.html, `./` becomes this. */
  basePath: () => string
}

/** Files of a built single-page app: hashed assets are cached for a year, every page is index.html. */
export function serveStaticFiles({
  folder,
  basePath,
}: Options): (request: Request) => Promise<Response | null> {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const path = decodePath(new URL(request.url).pathname)
    if (path === null) return null
    const file = join(folder, path)
    const asset = path === '/index.html' ? null : await findAsset(file, request)
    if (asset) {
      const cached = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      // A file that is opened and never read would stay open.
      const body = request.method === 'HEAD' ? null : readAsset(asset.file)
      return new Response(body, { headers: { ...asset.headers, 'cache-control': cached } })
    }
    if (extname(path) && path !== '/index.html') return null
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null)
    if (page === null) return null
    return new Response(
      page.replaceAll('="./', () => `="${basePath()}/`),
      {
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
      },
    )
  }
}

function decodePath(pathname: string): string | null {
  try {
    const path = normalize(decodeURIComponent(pathname))
    return path.includes('\0') || path.includes('..') ? null : path
  } catch {
    return null
  }
}

const endings = { br: '.br', gzip: '.gz' }

/** A file with its headers; null if it does not exist. The build writes compressed copies beside those that are worth it. */
async function findAsset(
  file: string,
  request: Request,
): Promise<{ file: string; headers: Record<string, string> } | null> {
  const whole = await stat(file).catch(() => null)
  if (!whole?.isFile()) return null
  const headers = {
    'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
    vary: 'accept-encoding',
  }
  for (const encoding of acceptedEncodings(request.headers.get('accept-encoding'))) {
    const copy = `${file}${endings[encoding]}`
    const found = await stat(copy).catch(() => null)
    if (found?.isFile())
      return {
        file: copy,
        headers: { ...headers, 'content-encoding': encoding, 'content-length': String(found.size) },
      }
  }
  return { file, headers: { ...headers, 'content-length': String(whole.size) } }
}

function readAsset(file: string): ReadableStream {
  // Node's web stream and the DOM's are the same at run time; their types differ.
  return Readable.toWeb(createReadStream(file)) as ReadableStream
}
