/** The text fields that `-F name=text` and `--form-string name=text` send, and whether there are files, which begin with `@` or `<`. */
export function multipartFields(options: readonly [option: string, value: string][]) {
  const fields: [name: string, text: string][] = []
  let hasFiles = false
  for (const [option, value] of options) {
    const [name = '', text = ''] = value.split(/=(.*)/s)
    if (option === 'form-string') fields.push([name, text])
    else if (option !== 'form') continue
    else if (/^[@<]/.test(text)) hasFiles = true
    else fields.push([name, withoutType(text)])
  }
  return { fields, hasFiles, isUsed: hasFiles || fields.length > 0 }
}

/** `red;type=text/x-colour` and `"red; green";type=text/x-colour` */
function withoutType(text: string): string {
  const bare = text.replace(/;\s*type=[^;]*$/i, '')
  return /^"(.*)"$/s.exec(bare)?.[1] ?? bare
}
