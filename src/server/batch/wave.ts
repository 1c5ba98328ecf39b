import { membersOf } from '../../contract/bodies.ts'
import { findReferences, targetIdOf } from '../../contract/references.ts'
import type { Operation } from './batch_operation.ts'

/** An operation that creates. */
export type CreateOperation = Extract<Operation, { readonly op: 'create' }>

/**
 * Puts creations into waves: what one needs, its parent above all, stands in an earlier wave, and within a wave none
 * needs another. Many groups, layers and maps make few waves.
 */
export function findWaves(creations: readonly CreateOperation[]): CreateOperation[][] {
  const levels = new Map<number, number>()
  const waves: CreateOperation[][] = []
  for (const operation of creations) {
    let level = 0
    for (const id of neededBy(operation)) level = Math.max(level, (levels.get(id) ?? -1) + 1)
    levels.set(operation.id, level)
    const wave = waves[level] ?? []
    wave.push(operation)
    waves[level] = wave
  }
  return waves
}

function neededBy({ creation }: CreateOperation): number[] {
  const { cls, parentId, members } = creation
  const schemas = membersOf(cls)
  const referred = Object.entries(members).flatMap(([name, value]) => {
    const schema = schemas[name]
    return schema === undefined ? [] : findReferences(schema, value).map((found) => targetIdOf(found.value))
  })
  return [parentId, ...referred.filter((id) => typeof id === 'number')]
}
