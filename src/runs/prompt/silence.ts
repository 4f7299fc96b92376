/** The model writes only this to end without a message. */
export const silenceWord = 'NO_REPLY'

const around = /^[\s\p{P}\p{S}]+|[\s\p{P}\p{S}]+$/gu

/** The word alone, or as the first or last line, whatever markup and punctuation stand around it. */
export function isSilence(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.replaceAll(around, '') !== '')
  return [lines.at(0), lines.at(-1)].some(
    (line) => line?.replaceAll('\\', '').replaceAll(around, '').toUpperCase() === silenceWord,
  )
}
