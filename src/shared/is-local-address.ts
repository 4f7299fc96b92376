/** Whether only this machine can reach the address. */
export function isLocalAddress(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}
