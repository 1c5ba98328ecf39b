import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Class baselayers. */
export const baselayers = {
  label: 'Base layers',
  meaning: 'A set of base maps.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: { baselayers: Type.Object({}) },
} as const satisfies ClassDescriptor
