import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Class collector_project. */
export const collectorProject = {
  label: 'Collector project',
  meaning: 'A field data collection project.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: { collector_project: Type.Object({}) },
} as const satisfies ClassDescriptor
