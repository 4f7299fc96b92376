const tags = [
  ...[
    'en-US',
    'en-GB',
    'en-AU',
    'en-CA',
    'en-IN',
    'de-DE',
    'de-AT',
    'de-CH',
    'fr-FR',
    'fr-CA',
    'fr-CH',
    'es-ES',
    'es-MX',
  ],
  ...[
    'it-IT',
    'nl-NL',
    'pt-BR',
    'pt-PT',
    'da-DK',
    'sv-SE',
    'nb-NO',
    'fi-FI',
    'pl-PL',
    'cs-CZ',
    'sk-SK',
    'hu-HU',
    'ro-RO',
  ],
  ...[
    'el-GR',
    'tr-TR',
    'uk-UA',
    'he-IL',
    'ja-JP',
    'ko-KR',
    'zh-CN',
    'zh-TW',
    'id-ID',
    'vi-VN',
    'th-TH',
    'hi-IN',
  ],
]

/** Languages of dates and numbers, and that of the browser. */
export function languages(): { value: string; label: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' })
  const all = [...new Set([...tags, navigator.language])]
  return all
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'))
}

/** How a date and a number look there. */
export function example(tag: string): string {
  const date = new Date(2026, 10, 18, 14, 30).toLocaleString(tag, { dateStyle: 'long', timeStyle: 'short' })
  return `${date} · ${(1234.5).toLocaleString(tag)}`
}
