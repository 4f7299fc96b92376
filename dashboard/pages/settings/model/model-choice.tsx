import { Select, TextInput } from '@mantine/core'
import { exampleName, type modelNames, providerOptions } from './providers.ts'

/** Null: the usual model. */
export type ChosenModel = { provider: string | null; name: string }

type Props = {
  provider: string | null
  /** The props of an input, by field. */
  field: (name: keyof ChosenModel) => object
  description: string
  placeholder: string
  /** What it is called; the usual word is Model. */
  label?: string
  w?: number
}

/** A model other than the usual one, for one purpose only. */
export function ModelChoice({ provider, field, description, placeholder, label = 'Model', ...size }: Props) {
  return (
    <>
      <Select
        label={label}
        description={description}
        placeholder={placeholder}
        clearable
        data={providerOptions}
        {...size}
        {...field('provider')}
      />
      {hasName(provider) && (
        <TextInput
          label={`${label} name`}
          description={`The exact model ID, e.g. ${exampleName(provider)}`}
          {...size}
          {...field('name')}
        />
      )}
    </>
  )
}

/** What is wrong with the choice, checked before it is sent. */
export function modelNameProblem({ provider, name }: ChosenModel): string | null {
  return hasName(provider) && name.trim() === ''
    ? 'Enter the model name exactly as the provider writes it.'
    : null
}

function hasName(provider: string | null): provider is keyof typeof modelNames {
  return provider !== null && provider !== 'offline'
}
