import { describe, expect, it } from 'vitest'
import { withOwnId } from '../../../../src/contract/field_marks.ts'
import { formatSource } from '../../../../src/contract/markers.ts'
import type { Cls } from '../../../../src/contract/registry.ts'
import type { ValueCounts } from '../../../../src/reconcile/plan/data/lost_values.ts'
import { type Block, codesOf, planningOf, planOf } from '../../support/literals.ts'

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

describe('a field with values that leaves the list', () => {
  const listed = { cls: 'vector_layer' as const, members: { feature_layer: { fields: [name] } } }
  const fields = [
    { id: 1, ...name },
    { id: 2, ...lanes },
  ]
  const marker = (version: number) => formatSource({ digest: 'a'.repeat(64), version })
  const plan = (block: Block, { values = 2, meta = {}, version = 1, options = {} }) =>
    planOf({
      blocks: { a: { ...listed, ...block } },
      rows: [
        {
          ...{ id: 7, key: 'a', cls: 'vector_layer', meta },
          members: {
            feature_layer: { fields },
            vector_layer: { geometry_type: 'POINT', data_version: version },
          },
        },
      ],
      values: new Map([['7/lanes', values]]),
      options,
    })
  const recordOf = (list: object[]) => {
    const made = planOf({
      blocks: { a: { ...listed, members: { feature_layer: { fields: list } } } },
      rows: [],
    })
    return withOwnId(made.changes[0]?.body.resmeta?.items as Parameters<typeof withOwnId>[0], 7)
  }

  it('stops the plan if the manifest never listed it, unless the loss is allowed', () => {
    const meta = recordOf([name])
    const stopped = plan({}, { meta })
    expect(stopped.issues).toMatchObject([
      {
        code: 'data/loss',
        severity: 'error',
        message: '"a" would lose data that this manifest did not set: field lanes (2 values)',
      },
    ])
    expect(codesOf(plan({}, { meta, options: { allowLoss: new Set(['a']) } }))).toEqual([])
    expect(codesOf(plan({}, { meta, values: 0 }))).toEqual([])
  })

  it('is dropped if the manifest listed it before', () => {
    expect(codesOf(plan({}, { meta: recordOf([name, lanes]) }))).toEqual([])
  })

  it('is dropped with the first list if the data are those of the source', () => {
    expect(codesOf(plan({}, { meta: { 'landform.source': marker(1) } }))).toEqual([])
    expect(codesOf(plan({}, { meta: { 'landform.source': marker(1) }, version: 3 }))).toEqual(['data/loss'])
    expect(codesOf(plan({}, {}))).toEqual(['data/loss'])
  })
})
