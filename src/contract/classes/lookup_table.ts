import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Sort orders of the items of a lookup table. */
export const lookupSorts = ['KEY_ASC', 'KEY_DESC', 'VALUE_ASC', 'VALUE_DESC', 'CUSTOM'] as const

/** Maximum number of items in a lookup table. */
const maxLookupItems = 100_000

/** Class lookup_table. */
export const lookupTable = {
  label: 'Lookup table',
  meaning: 'Labels for coded field values.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: {},
  members: {
    lookup_table: Type.Object({
      items: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          maxProperties: maxLookupItems,
          default: {},
          description: 'Value by key. Reading the table is enough to read them.',
        }),
      ),
      sort: Type.Optional(
        oneOf(lookupSorts, {
          default: 'CUSTOM',
          description: 'Sort order of the items: by key, by value, or custom.',
        }),
      ),
      order: Type.Optional(
        nullable(Type.Array(Type.String(), { maxItems: maxLookupItems }), {
          default: null,
          description:
            'All keys in custom order; null for the order of items, where JSON objects put integer keys first.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
