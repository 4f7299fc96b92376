import type { VerificationSettings } from '../contract.ts'
import { presets } from './presets.ts'
import type { Scheme, Timestamp } from './scheme.ts'

/** The preset's schemes, with the operator's settings where the preset leaves them open. */
export function resolveSchemes(settings: VerificationSettings): readonly Scheme[] {
  const preset = presets[settings.preset]
  const withTolerance = preset.schemes.map((scheme) =>
    settings.toleranceSeconds !== undefined && scheme.timestamp
      ? { ...scheme, toleranceSeconds: settings.toleranceSeconds }
      : scheme,
  )
  const base = withTolerance[0]
  if (!preset.headerIsConfigurable || !base) return withTolerance
  const header = settings.header ?? base.header
  if (settings.preset === 'shared_secret') return [{ ...base, header, prefix: settings.prefix ?? '' }]
  if (settings.preset === 'grafana') return [grafana(base, header, settings)]
  return [generic(base, header, settings)]
}

/** Grafana signs the body alone, or `time:body` if its timestamp header is configured. */
function grafana(base: Scheme, header: string, settings: VerificationSettings): Scheme {
  if (!settings.timestampHeader) return { ...base, header }
  return {
    ...base,
    header,
    template: '{ts}:{body}',
    timestamp: { from: 'header', header: settings.timestampHeader, unit: 's' },
    toleranceSeconds: settings.toleranceSeconds ?? 300,
  }
}

function generic(base: Scheme, header: string, settings: VerificationSettings): Scheme {
  const timestamp = genericTimestamp(settings)
  return {
    algorithm: settings.algorithm ?? base.algorithm,
    keyEncoding: settings.keyEncoding ?? base.keyEncoding,
    header,
    prefix: settings.prefix ?? '',
    encoding: settings.encoding ?? base.encoding,
    template: settings.template ?? base.template,
    ...(settings.listKey ? { list: { separator: ',', between: '=', key: settings.listKey } } : {}),
    ...(timestamp ? { timestamp, toleranceSeconds: settings.toleranceSeconds ?? 300 } : {}),
  }
}

function genericTimestamp(settings: VerificationSettings): Timestamp | undefined {
  const unit = settings.timestampUnit ?? 's'
  if (settings.timestampHeader) return { from: 'header', header: settings.timestampHeader, unit }
  if (settings.timestampListKey) return { from: 'list', key: settings.timestampListKey, unit }
  if (settings.timestampPointer) return { from: 'body', pointer: settings.timestampPointer, unit }
  return undefined
}
