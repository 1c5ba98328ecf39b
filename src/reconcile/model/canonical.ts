import { annotationsOf } from '../../contract/descriptor.ts'
import { mapValue, parts, type ValueMapping } from '../../contract/map_value.ts'
import { targetOf } from '../../contract/references.ts'
import type { Schema } from '../../contract/schema.ts'
import { writeScale } from '../../contract/translate.ts'
import { canonicalXml } from '../../style/canonical_xml.ts'

/**
 * Brings a value into the one form in which equal means same: defaults filled in, scales and XML in one spelling,
 * members left out that only the server or only requests have. References must be in the words of a manifest already.
 */
export function canonical(schema: Schema, value: unknown): unknown {
  return mapValue(schema, value, filling)
}

const filling: ValueMapping = {
  replace: (words, value) => {
    if (words['x-form'] !== undefined) return canonicalText(words['x-form'], value)
    return targetOf(words) === undefined ? parts : value
  },
  members: (properties, value) => {
    const fields: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(properties)) {
      if (!isCompared(schema)) continue
      const field = value[name] ?? value[annotationsOf(schema)['x-default-from'] ?? ''] ?? schema.default
      if (value[name] === null && schema.default === undefined) fields[name] = null
      else if (field !== undefined) fields[name] = field
    }
    return fields
  },
}

function canonicalText(form: 'scale' | 'xml', value: unknown): unknown {
  if (form === 'scale') return writeScale(value)
  return typeof value === 'string' ? canonicalXml(value) : value
}

/** Tells whether a field can be compared: it can be both written and read, and has no way of its own. */
export function isCompared(schema: Schema): boolean {
  const words = annotationsOf(schema)
  return !(words.readOnly || words.writeOnly || words['x-wire'] || words['x-secret'])
}
