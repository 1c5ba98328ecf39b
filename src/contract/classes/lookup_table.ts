import Type from 'typebox'
import type { ClassDescriptor } from '../descriptor.ts'

/** Class lookup_table. */
export const lookupTable = {
  label: 'Lookup table',
  meaning: 'Words for codes: what the values of a field stand for.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: {
    lookup_table: Type.Object({
      items: Type.Optional(
        Type.Record(Type.String(), Type.String(), { default: {}, description: 'Value by key.' }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
