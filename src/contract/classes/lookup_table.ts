import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../type.ts'

/** Ways to order the items of a lookup table. */
export const lookupSorts = ['KEY_ASC', 'KEY_DESC', 'VALUE_ASC', 'VALUE_DESC', 'CUSTOM'] as const

/** Most items of a lookup table. */
const maxLookupItems = 100_000

/** Class lookup_table. */
export const lookupTable = {
  label: 'Lookup table',
  meaning: 'Words for codes: what the values of a field stand for.',
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
          description: 'Value by key.',
        }),
      ),
      sort: Type.Optional(
        oneOf(lookupSorts, {
          default: 'CUSTOM',
          description: 'How the items are ordered: by key, by value, or as they were given.',
        }),
      ),
      order: Type.Optional(
        nullable(Type.Array(Type.String(), { maxItems: maxLookupItems }), {
          default: null,
          description:
            'All keys, in the order of the items; null where the items tell it themselves. JSON has whole numbers first.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
