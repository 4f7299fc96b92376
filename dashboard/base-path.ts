/** The path below which the dashboard is served, such as `/bellhop`; usually empty. Scripts are one folder deeper. */
export const basePath = new URL('..', import.meta.url).pathname.replace(/\/$/, '')
