import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { problem } from '../contract/problems.ts'
import type { Database, Queryable } from './database.ts'

/** A numbered schema migration. */
export interface Migration {
  readonly number: number
  /** File name without number and extension. */
  readonly name: string
  readonly sql: string
  /** SHA-256 of the SQL, in hexadecimal. */
  readonly checksum: string
}

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly version: string
}

/** Key of the advisory lock for migrations. */
const lockKey = 4_714_620_019

/** Reads the files `0001_name.sql`, … of a folder, in order. Throws if the numbers have gaps or duplicates. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (fileName, at) => {
      const [, digits = '', name = ''] = /^(\d{4})_(\w+)\.sql$/.exec(fileName) ?? []
      if (Number(digits) !== at + 1) throw new Error(`${fileName}: expected migration number ${at + 1}`)
      const sql = await readFile(new URL(fileName, folder), 'utf8')
      return { number: at + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Upgrades the schema: creates it, installs PostGIS in `public`, and applies each missing migration in its own
 * transaction. Safe to run in several processes at once.
 *
 * @returns the numbers of the migrations applied
 * @throws {Problem} database/newer if the database has migrations unknown to the program,
 *   database/migration if the content of an applied migration differs from the program's
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  { version }: { readonly version: string },
): Promise<number[]> {
  const known = await database.transaction(async (tx) => {
    await prepareSchema(tx, database.schema)
    return readApplied(tx)
  })
  for (const one of known) checkApplied(one, migrations)
  const applied: number[] = []
  for (const migration of migrations.slice(known.length)) {
    const isNew = await database.transaction((tx) => applyNext(tx, { migration, migrations, version }))
    if (isNew) applied.push(migration.number)
  }
  return applied
}

async function prepareSchema(tx: Queryable, schema: string): Promise<void> {
  await takeLock(tx)
  await tx.query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
  await tx.query('create extension if not exists postgis schema public')
  await tx.query(
    `create table if not exists migration (
       number     integer primary key,
       name       text not null,
       checksum   text not null,
       version    text not null,
       applied_at timestamp not null default (now() at time zone 'utc')
     )`,
  )
}

interface Step {
  readonly migration: Migration
  readonly migrations: readonly Migration[]
  readonly version: string
}

async function applyNext(tx: Queryable, { migration, migrations, version }: Step): Promise<boolean> {
  await takeLock(tx)
  const applied = await readApplied(tx)
  for (const one of applied) checkApplied(one, migrations)
  if (applied.some(({ number }) => number === migration.number)) return false
  await tx.query(migration.sql)
  await tx.query('insert into migration (number, name, checksum, version) values ($1, $2, $3, $4)', [
    migration.number,
    migration.name,
    migration.checksum,
    version,
  ])
  return true
}

function readApplied(tx: Queryable): Promise<Applied[]> {
  return tx.query<Applied>('select number, name, checksum, version from migration order by number')
}

function checkApplied(applied: Applied, migrations: readonly Migration[]): void {
  const { number, name, version } = applied
  const known = migrations.find((migration) => migration.number === number)
  const label = `migration ${number} (${name})`
  if (known === undefined) {
    throw problem('database/newer', `the database contains ${label}, applied by landform ${version}`, {
      data: { number, version },
    })
  }
  if (known.checksum !== applied.checksum) {
    throw problem('database/migration', `${label} applied by landform ${version} had different content`, {
      data: { number, version },
    })
  }
}

// Held until the end of the transaction. One lock for the entire database: the extension is outside the schema.
async function takeLock(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [lockKey])
}
