import type { ClassDescriptor } from '../descriptor.ts'

/** Class resource_group. */
export const resourceGroup = {
  label: 'Resource group',
  meaning: 'A folder of the resource tree.',
  scopes: ['resource', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 0,
  members: {},
} as const satisfies ClassDescriptor
