/** Collects the values of a statement while its text is composed. */
export interface Bindings {
  /** Values of the parameters `$1`, `$2`, …. */
  readonly values: readonly unknown[]
  /** Adds a value and returns its parameter with the type, such as `$3::text`. */
  bind(value: unknown, type: string): string
}

/** Creates an empty list of values. */
export function createBindings(): Bindings {
  const values: unknown[] = []
  return {
    values,
    bind(value, type) {
      values.push(value)
      return `$${values.length}::${type}`
    },
  }
}

/** A statement and the values of its parameters. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}
