import { annotationsOf } from '../contract/descriptor.ts'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import type { Schema } from '../contract/schema.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'

/** Lists the pointers of the secrets of a class. */
export function listSecrets(cls: Cls): Pointer[] {
  return Object.entries(descriptorOf(cls).members).flatMap(([member, { properties }]) =>
    Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([name, schema]) =>
      annotationsOf(schema)['x-secret'] ? [joinPointer('', member, name)] : [],
    ),
  )
}
