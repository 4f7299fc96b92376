import { wordsOf } from '../../shared/wording/words-of.ts'
import type { OfferedTool } from '../../tools/list-tools.ts'

const maxFound = 8
/** The usual constants of BM25: how soon repeated words stop to count, and how much long descriptions are held back. */
const saturation = 1.2
const lengthWeight = 0.75

/** The tools that fit best by BM25: a word counts the more, the fewer tools have it, and most if it is in the name. */
export function searchTools(tools: readonly OfferedTool[], query: string): OfferedTool[] {
  const indexed = tools.map((offered) => ({ offered, words: weighWords(offered), score: 0 }))
  const sizeOf = (words: ReadonlyMap<string, number>) =>
    words.values().reduce((sum, weight) => sum + weight, 0)
  const average = indexed.reduce((sum, { words }) => sum + sizeOf(words), 0) / Math.max(tools.length, 1)
  for (const asked of new Set(stemsOf(query))) {
    const counts = indexed.map(({ words }) => countIn(words, asked))
    const having = counts.filter((count) => count > 0).length
    const rarity = Math.log(1 + (tools.length - having + 0.5) / (having + 0.5))
    for (const [at, one] of indexed.entries()) {
      const count = counts[at] ?? 0
      const damping = saturation * (1 - lengthWeight + (lengthWeight * sizeOf(one.words)) / average)
      if (count > 0) one.score += (rarity * count * (saturation + 1)) / (count + damping)
    }
  }
  return indexed
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ offered }) => offered)
}

function weighWords({
  name,
  description,
  connectorName,
  inputSchema,
  path,
}: OfferedTool): Map<string, number> {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of stemsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  add(name, 3)
  add(`${description} ${connectorName}`, 1)
  add(`${path ?? ''} ${inputNamesOf(inputSchema).join(' ')}`, 0.5)
  return weights
}

function inputNamesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return []
  return Object.keys(schema.properties ?? {})
}

const shortestPrefix = 4

/** "resolve" is also found in "resolved", and "scheduled" in "schedule", at half the weight. */
function countIn(words: ReadonlyMap<string, number>, asked: string): number {
  let count = words.get(asked) ?? 0
  for (const [word, weight] of words) {
    const isLonger = asked.length >= shortestPrefix && word.length > asked.length && word.startsWith(asked)
    const isShorter = word.length >= shortestPrefix && asked.length > word.length && asked.startsWith(word)
    if (isLonger || isShorter) count += weight / 2
  }
  return count
}

/** Drops the plural s, so that "orders" finds get_order. */
function stemsOf(text: string): string[] {
  return wordsOf(text).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}
