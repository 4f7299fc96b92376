/** Below which path of its host the dashboard lies, such as `/bellhop`; mostly none. Scripts lie one folder deeper. */
export const basePath = new URL('..', import.meta.url).pathname.replace(/\/$/, '')
