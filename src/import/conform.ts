import { problem } from '../contract/problems.ts'
import type { Database } from '../database/database.ts'
import type { BadFeature } from '../gdal/job.ts'
import { type ConformedColumn, conformColumns, deleteMisfits, findMisfits } from '../store/conform.ts'
import { type PlannedField, planFields } from '../store/field.ts'
import type { LayerField } from '../store/layer.ts'

/** What staged features have to become. */
export interface Conforming {
  readonly tableName: string
  /** Fields of the staged table. */
  readonly fields: readonly PlannedField[]
  /** Fields of the layer that the features are for. */
  readonly wanted: readonly LayerField[]
  /** Leave features out whose values do not convert, instead of refusing the source. */
  readonly skipErrors: boolean
  /** Take empty texts for no value. */
  readonly blankIsNull: boolean
}

/** What came of it. */
export interface Conformed {
  readonly fields: readonly PlannedField[]
  readonly badCount: number
  readonly bad: readonly BadFeature[]
}

/**
 * Makes staged features fit the fields of a layer: values are converted to its datatypes, fields that it does not have
 * are left out, those that the source lacks are empty.
 *
 * @throws {Problem} source/bad-features, with the first values that do not convert
 */
export async function conformStaged(database: Database, conforming: Conforming): Promise<Conformed> {
  const { tableName, wanted, skipErrors, blankIsNull } = conforming
  const { columns, dropped, fields } = matchColumns(conforming)
  return database.transaction(async (tx) => {
    const misfits = await findMisfits(tx, tableName, columns)
    const bad = misfits.first.map(({ id, column, value }): BadFeature => {
      const field = wanted.find((_, index) => columns[index]?.name === column)
      return { number: id, reason: `${field?.keyname}: ${JSON.stringify(value)} is no ${field?.datatype}` }
    })
    if (misfits.count > 0) {
      if (!skipErrors) throw refusal(misfits.count, bad)
      await deleteMisfits(tx, tableName, columns)
    }
    await conformColumns(tx, tableName, { columns, dropped, blankIsNull })
    return { fields, badCount: misfits.count, bad }
  })
}

function matchColumns({ fields: staged, wanted }: Conforming) {
  const byKeyname = new Map(staged.map((field) => [field.keyname, field]))
  const added = planFields(
    wanted.filter(({ keyname }) => !byKeyname.has(keyname)),
    staged,
  )
  const addedNames = new Map(added.map(({ keyname, columnName }) => [keyname, columnName]))
  const columns = wanted.map(({ keyname, datatype }): ConformedColumn => {
    const found = byKeyname.get(keyname)
    return { name: found?.columnName ?? addedNames.get(keyname) ?? '', from: found?.datatype, to: datatype }
  })
  const kept = new Set(wanted.map(({ keyname }) => keyname))
  const dropped = staged.filter(({ keyname }) => !kept.has(keyname)).map(({ columnName }) => columnName)
  const fields = wanted.map(
    (field, index): PlannedField => ({ ...field, columnName: columns[index]?.name ?? '' }),
  )
  return { columns, dropped, fields }
}

function refusal(count: number, bad: readonly BadFeature[]): Error {
  const lines = bad.map(({ number, reason }) => `- feature ${number}: ${reason}`)
  const more = count > bad.length ? [`- and ${count - bad.length} more`] : []
  return problem(
    'source/bad-features',
    `${count} features have values that do not fit the fields of the layer`,
    {
      detail: [...lines, ...more].join('\n'),
      data: { bad_count: count, bad },
    },
  )
}
