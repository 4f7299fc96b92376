import { type Source, sources } from './sources.ts'

/** Whose steps fit a webhook that exists: by how it is verified or, as long as it is not, by its name. */
export function sourceOf({ name, preset }: { name: string; preset: string | null }): Source | null {
  const isNamed = (source: Source) =>
    name === source.name || name.toLowerCase().includes(source.label.toLowerCase())
  return (
    (preset === null ? sources.find(isNamed) : sources.find((source) => source.preset === preset)) ?? null
  )
}
