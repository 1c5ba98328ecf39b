import type { ResourceDrift } from '../drift/drift.ts'

/** Fields of a block that differ because the manifest changed since the last apply; an apply that was undone counts as none. */
export interface Unapplied {
  readonly key: string
  readonly fields: readonly string[]
  /** Whether a pull can write values of the server over them. */
  readonly isTakable: boolean
}

/** Lists what a pull leaves as the manifest has it. */
export function listUnapplied(
  drift: readonly ResourceDrift[],
  resources: ReadonlyMap<string, unknown>,
): Unapplied[] {
  return drift.flatMap(({ key, existsIn, fields }) => {
    const own = fields.filter(({ origin }) => origin === 'manifest')
    // What the manifest no longer contains stays until an apply with --prune; the plan warns of it.
    if (own.length === 0 || existsIn === 'server') return []
    const isTakable =
      existsIn === 'both' && resources.has(key) && own.some(({ edit }) => edit !== undefined && !edit.secret)
    return [{ key, fields: own.map(({ field }) => field), isTakable }]
  })
}

/** Regards all values of some resources that differ as changed on the server alone, so that a pull takes them. */
export function overwriteFields(drift: readonly ResourceDrift[], keys: ReadonlySet<string>): ResourceDrift[] {
  return drift.map((one) => {
    if (!keys.has(one.key) || one.existsIn !== 'both') return one
    const fields = one.fields.map((field) =>
      field.edit === undefined ? field : { ...field, origin: 'server' as const },
    )
    return { ...one, fields }
  })
}
