import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Class trackers_group. */
export const trackersGroup = {
  label: 'Trackers group',
  meaning: 'A group of trackers.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: { trackers_group: Type.Object({}) },
} as const satisfies ClassDescriptor
