import { gemoji } from 'gemoji'

type Emoji = { name: string; character: string; words: string }

/** By category, each under its first name. `words`: all that it is found by. */
export const allEmoji: readonly Emoji[] = gemoji.map(({ emoji, names, tags, description }) => ({
  name: names[0] ?? description,
  character: emoji,
  words: [...names, ...tags, description].join(' ').replaceAll(' ', '_'),
}))

const characters = new Map(
  gemoji.flatMap(({ emoji, names }) => names.map((name): [string, string] => [name, emoji])),
)

const firstNames = new Map(allEmoji.map(({ name, character }) => [character, name]))

/** The character of a short name, as in GitHub: `tada` is 🎉. */
export const emojiOf = (name: string): string | undefined => characters.get(name)

/** The name under which a reaction is stored, whichever of its names somebody used. */
export const firstNameOf = (character: string): string | undefined => firstNames.get(character)
