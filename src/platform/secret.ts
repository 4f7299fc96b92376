import { inspect } from 'node:util'

const hidden = '[secret]'

/** A value that cannot be printed by accident. `reveal()` is the only way to it, and easy to grep for. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [inspect.custom](): string {
    return hidden
  }
}
