/** What is asked for often and changes seldom: it is read once, until somebody says that it has changed. A failed read is not kept. */
export function remember<T>(read: () => Promise<T>): { read(): Promise<T>; forget(): void } {
  let known: Promise<T> | null = null
  const forget = () => {
    known = null
  }
  return {
    forget,
    async read() {
      known ??= read()
      const asked = known
      try {
        return await asked
      } catch (error) {
        if (known === asked) forget()
        throw error
      }
    },
  }
}
