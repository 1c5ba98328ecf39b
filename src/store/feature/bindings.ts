/** Collects the values of a statement while its text is put together. */
export interface Bindings {
  /** What `$1`, `$2`, … stand for. */
  readonly values: readonly unknown[]
  /** Adds a value and gives its place with its type, such as `$3::text`. */
  bind(value: unknown, type: string): string
}

/** Starts an empty list of values. */
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

/** A statement and the values it is bound to. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}
