import type { SourceField } from '../gdal/job.ts'
import type { PlannedField } from '../store/field.ts'
import { planFields } from '../store/field.ts'

/** A field whose name could not stay. */
export interface RenamedField {
  readonly from: string
  readonly to: string
}

/** Names of fields that the API gives a meaning of their own. */
const reserved: ReadonlySet<string> = new Set(['id', 'geom'])

const longest = 255

/**
 * Makes the fields of a layer out of those of a source. Keynames have to be printable, different and not `id` or
 * `geom`: `id` becomes `id_1`, an empty name `fld_1`. The name of the source stays as the name people see.
 */
export function nameFields(fields: readonly SourceField[]): {
  readonly fields: PlannedField[]
  readonly renamed: RenamedField[]
} {
  const cleaned = fields.map(({ name }) => cleanName(name))
  // A name that may stay is not taken from the field that has it by one that has to change.
  const kept = new Set(cleaned.filter((name) => name !== '' && !reserved.has(name)))
  const keynames = distinct(cleaned, { isFree: (name) => !reserved.has(name), kept })
  const displayNames = distinct(
    cleaned.map((name, index) => (name === '' ? (keynames[index] ?? '') : name)),
    { isFree: () => true, kept: new Set(cleaned) },
  )
  const named = fields.map(({ datatype }, index) => ({
    keyname: keynames[index] ?? '',
    displayName: displayNames[index] ?? '',
    datatype,
  }))
  const renamed = fields
    .map(({ name }, index) => ({ from: name, to: keynames[index] ?? '' }))
    .filter(({ from, to }) => from !== to)
  return { fields: planFields(named), renamed }
}

/** Controls, private and unassigned characters go; blanks at the ends too. */
function cleanName(name: string): string {
  return name
    .replaceAll(/[\p{C}\uFFFD]/gu, '')
    .trim()
    .slice(0, longest)
}

interface Choice {
  readonly isFree: (name: string) => boolean
  /** Names that the first field to have them keeps. */
  readonly kept: ReadonlySet<string>
}

function distinct(names: readonly string[], { isFree, kept }: Choice): string[] {
  const used = new Set<string>()
  return names.map((name) => {
    const free = (candidate: string) => isFree(candidate) && !used.has(candidate)
    const chosen =
      name !== '' && free(name) ? name : numbered(name, (other) => free(other) && !kept.has(other))
    used.add(chosen)
    return chosen
  })
}

function numbered(name: string, isFree: (name: string) => boolean): string {
  const stem = name === '' ? 'fld' : name.slice(0, longest - 6)
  for (let number = 1; ; number++) {
    if (isFree(`${stem}_${number}`)) return `${stem}_${number}`
  }
}
