/** Beside a file that we send. */
export function captionOf(file: string): string {
  return file.endsWith('.csv') ? 'The whole table is in this file:' : 'The whole reply is in this file:'
}

export function typeOfFile(file: string): string {
  return file.endsWith('.csv') ? 'text/csv' : 'text/markdown'
}
