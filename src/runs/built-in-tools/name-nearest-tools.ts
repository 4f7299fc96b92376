import type { ToolSet } from '../loop/tool-calls/tool-set.ts'
import { mustSearch } from './built-in-tools.ts'

const maxNamed = 5

/** For a name that no tool has: what was probably meant. All names would cost thousands of tokens per mistake. */
export function nameNearestTools(set: ToolSet, name: string): string {
  if (set.tools.length === 0) return `There is no tool ${name}. There are no tools here.`
  const asked = pairsOf(name.slice(0, 200))
  const nearest = set.tools
    .map((offered) => ({ name: offered.name, likeness: likeness(asked, pairsOf(offered.name)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, maxNamed)
  const search = mustSearch(set) ? ' Look for others with find_tools.' : ''
  const which = set.tools.length > maxNamed ? 'The nearest are' : 'There are'
  return `There is no tool ${name}. ${which}: ${nearest.map((tool) => tool.name).join(', ')}.${search}`
}

/** Neighbouring letters: alike for another order of words, another ending or a typing mistake. */
function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return new Set(Array.from(letters.slice(1), (letter, at) => `${letters[at]}${letter}`))
}

/** Dice's coefficient. */
function likeness(one: ReadonlySet<string>, other: Set<string>): number {
  return (2 * other.intersection(one).size) / (one.size + other.size || 1)
}
