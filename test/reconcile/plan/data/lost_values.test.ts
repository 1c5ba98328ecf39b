import { describe, expect, it } from 'vitest'
import type { Cls } from '../../../../src/contract/registry.ts'
import type { ValueCounts } from '../../../../src/reconcile/plan/data/lost_values.ts'
import { planningOf } from '../../support/literals.ts'

const name = { keyname: 'name', datatype: 'STRING' }
const lanes = { keyname: 'lanes', datatype: 'INTEGER' }

const drop = (values?: ValueCounts, cls: Cls = 'vector_layer') => {
  const { plan, uncountedFields } = planningOf({
    blocks: { a: { cls, members: { feature_layer: { fields: [name] } } } },
    rows: [
      {
        id: 7,
        key: 'a',
        cls,
        members: {
          feature_layer: {
            fields: [
              { id: 1, ...name },
              { id: 2, ...lanes },
            ],
          },
        },
      },
    ],
    ...(values === undefined ? {} : { values }),
  })
  const edit = plan.changes[0]?.edits.find(({ pointer }) => pointer === '/feature_layer/fields/lanes')
  return { uncountedFields, edit }
}

describe('the values of a dropped field', () => {
  it('are counted before the plan is final', () => {
    expect(drop().uncountedFields).toEqual([{ id: 7, ...lanes }])
    expect(drop(new Map([['7/lanes', 4]])).uncountedFields).toEqual([])
  })

  it('are shown with their number, and not where there are none', () => {
    expect(drop(new Map([['7/lanes', 4]])).edit).toMatchObject({ loses: 'deletes 4 values', lostValues: 4 })
    const empty = drop(new Map([['7/lanes', 0]])).edit
    expect([empty?.loses, empty?.lostValues]).toEqual([undefined, 0])
  })

  it('are mentioned where the server cannot count them', () => {
    const { edit, uncountedFields } = drop(new Map([['7/lanes', null]]))
    expect([edit?.loses, uncountedFields]).toEqual(['deleting a field deletes its values', []])
  })

  it('stay where they are in an external database', () => {
    const { edit, uncountedFields } = drop(undefined, 'geodb_layer')
    expect([edit?.to, edit?.loses, uncountedFields]).toEqual([undefined, undefined, []])
  })
})
