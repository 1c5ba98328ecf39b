import {
  type JournalChange,
  type JournalEntry,
  type JournalResult,
  journalActions,
  type NewJournalEntry,
  outcomeWords,
  successWords,
} from '../../contract/bodies/journal.ts'
import type { Queryable } from '../../database/database.ts'

/** User who applies. */
export interface JournalAuthor {
  readonly id: number
  readonly keyname: string
}

/** Adds an entry with its planned changes; returns its id. */
export async function insertEntry(
  tx: Queryable,
  author: JournalAuthor,
  { manifest, commit = null, plan = null, undoes = null, changes }: NewJournalEntry,
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into journal_entry (user_id, user_name, manifest, commit, plan, undoes)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [author.id, author.keyname, manifest, commit, plan, undoes],
  )
  if (row === undefined) throw new Error('no row was inserted')
  await tx.query(
    `insert into journal_change (entry_id, position, action, key, cls, display_name, resource_id, loses, bad_count, before, referrers, after, digests)
     select $1, c.position, c.action, c.key, c.cls, c.display_name, c.id,
            case when c.loses is not null then array(select jsonb_array_elements_text(c.loses)) end,
            coalesce(c.bad_count, 0), c.before, c.referrers, c.after, c.digests
       from jsonb_to_recordset($2::jsonb)
         as c (position int, action text, key text, cls text, display_name text, id int, loses jsonb, bad_count int, before jsonb, referrers jsonb, after jsonb, digests jsonb)`,
    [row.id, JSON.stringify(changes.map((change, position) => ({ ...change, position })))],
  )
  await tx.query(
    `insert into journal_before (entry_id, position, place, resource_id, key, cls, display_name, version, data_version)
     select $1, c.position, b.nth - 1, (b.resource->>'id')::int, b.resource->>'keyname', b.resource->>'cls',
            coalesce(b.resource->>'display_name', ''), (b.resource->>'version')::int,
            (b.wire->(b.resource->>'cls')->>'data_version')::int
       from journal_change c, jsonb_array_elements(c.before) with ordinality as e (wire, nth),
            lateral (select e.wire, e.nth, e.wire->'resource' as resource) b
      where c.entry_id = $1 and b.resource->>'id' is not null and b.resource->>'cls' is not null`,
    [row.id],
  )
  return row.id
}

/** Lists the ids of the resources that an entry changes, as far as they are known. */
export async function listChangedIds(tx: Queryable, entryId: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    'select resource_id as id from journal_change where entry_id = $1 and resource_id is not null',
    [entryId],
  )
  return rows.map(({ id }) => id)
}

/** Records the result of an entry of a user; returns whether there is such an entry. */
export async function finishEntry(
  tx: Queryable,
  { id, userId }: { readonly id: number; readonly userId: number },
  { result, outcomes }: JournalResult,
): Promise<boolean> {
  const ended = await tx.query(
    `update journal_entry set ended_at = now() at time zone 'utc' where id = $1 and user_id = $2 returning id`,
    [id, userId],
  )
  if (ended.length === 0) return false
  // A change that a request has applied was applied, even if its response was lost.
  await tx.query(
    `update journal_change c
        set outcome = case when c.outcome is null or d.outcome = any($5::text[]) then d.outcome else c.outcome end,
             resource_id = coalesce(d.resource_id, c.resource_id), digests = coalesce(d.digests::jsonb, c.digests),
             bad_count = coalesce(d.bad_count, c.bad_count)
       from unnest($2::int[], $3::text[], $4::int[], $6::text[], $7::int[])
         as d (position, outcome, resource_id, digests, bad_count)
      where c.entry_id = $1 and c.position = d.position`,
    [
      id,
      outcomes.map((_, at) => at),
      outcomes.map(({ outcome }) => outcome),
      outcomes.map(({ id: resource = null }) => resource),
      successWords,
      outcomes.map(({ digests }) => (digests === undefined ? null : JSON.stringify(digests))),
      outcomes.map(({ bad_count = null }) => bad_count),
    ],
  )
  await tx.query(
    `update journal_entry set result = case when $2 = any($4::text[]) and exists (
       select from journal_change where entry_id = $1 and outcome = any($3::text[])) then 'partial' else $2 end
      where id = $1`,
    [id, result, successWords, ['failed', 'interrupted']],
  )
  return true
}

/** A resource with its version, which is undefined if it was deleted. */
interface WrittenResource {
  readonly id: number
  readonly version: number | undefined
}

/** Resources that a batch wrote. */
export interface BatchEffects {
  /** Created resources, with the keys of their changes. */
  readonly created: readonly (WrittenResource & { readonly key: string })[]
  /** Updated and deleted resources. */
  readonly touched: readonly WrittenResource[]
}

/**
 * Records in the transaction of a batch which changes of an entry it applied, so that no lost client loses this.
 * Returns whether there is such an unfinished entry.
 */
export async function completeEntry(
  tx: Queryable,
  { id, userId }: { readonly id: number; readonly userId: number },
  { created, touched }: BatchEffects,
): Promise<boolean> {
  const [open] = await tx.query(
    'select id from journal_entry where id = $1 and user_id = $2 and result is null for update',
    [id, userId],
  )
  if (open === undefined) return false
  await tx.query(
    `with word as (select * from unnest($2::text[], $3::text[]) as w (action, outcome)),
          made as (select * from unnest($4::text[], $5::int[], $6::int[]) as m (key, id, version)),
          -- A resource that is written twice has the version of the last operation.
          touched as (select id, max(version) as version from unnest($7::int[], $8::int[]) as t (id, version) group by id)
     update journal_change c
        set outcome = w.outcome, resource_id = coalesce(m.id, c.resource_id), version = coalesce(m.version, t.version),
            data_version = l.data_version
       from journal_change d join word w using (action)
            left join made m on m.key = d.key and d.action in ('create', 'replace')
            left join touched t on t.id = d.resource_id
            left join layer l on l.resource_id = coalesce(m.id, t.id)
      where c.entry_id = $1 and d.entry_id = $1 and c.position = d.position
        and (m.id is not null or t.id is not null)`,
    [
      id,
      journalActions,
      journalActions.map((action) => outcomeWords[action]),
      created.map(({ key }) => key),
      created.map((one) => one.id),
      created.map(({ version = null }) => version),
      touched.map((one) => one.id),
      touched.map(({ version = null }) => version),
    ],
  )
  await tx.query(
    `update journal_entry set ended_at = now() at time zone 'utc', result =
       case when exists (select from journal_change where entry_id = $1 and outcome is null)
            then 'partial' else 'applied' end
      where id = $1`,
    [id],
  )
  return true
}

const entrySql = `
  select e.id, e.user_id as "userId", e.user_name as "user", e.manifest, e.commit, e.plan, e.undoes,
         -- Of a lost client: another apply of the manifest began after it did something for the last time.
         coalesce(e.result, case when exists (
           select from journal_entry l where l.manifest = e.manifest and l.id > e.id and l.began_at >= e.active_at
         ) then 'interrupted' end) as result,
         to_char(e.began_at, 'YYYY-MM-DD"T"HH24:MI:SS') as began,
         to_char(e.ended_at, 'YYYY-MM-DD"T"HH24:MI:SS') as ended,
         (select coalesce(jsonb_object_agg(word, count), '{}'::jsonb)
            from (select coalesce(c.outcome, 'to ' || c.action) as word, count(*) as count
                    from journal_change c where c.entry_id = e.id group by 1) counted) as counts
    from journal_entry e`

type EntryRow = JournalEntry & { readonly userId: number | null }

const withoutUser = ({ userId: _, ...entry }: EntryRow): JournalEntry => entry

/** Which entries to list. */
export interface JournalFilter {
  /** Only those of this user. */
  readonly userId?: number
  /** Only those that changed this resource. */
  readonly resource?: number | undefined
  /** Only those that changed a resource or record with this key. */
  readonly key?: string | undefined
  /** Only those that changed a resource of this class, or a record of this kind. */
  readonly cls?: string | undefined
  /** Only those that are older than this entry. */
  readonly before?: number | undefined
  readonly limit: number
  /** Whether to read the digests of the changes. */
  readonly digests?: boolean
}

/** Lists entries, newest first; with a resource, key or class, with the changes of that. */
export async function listEntries(database: Queryable, filter: JournalFilter): Promise<JournalEntry[]> {
  const { userId = null, resource = null, key = null, cls = null, before = null } = filter
  const { digests = false, limit } = filter
  const matches = (table: string) =>
    `($2::int is null or ${table}.resource_id = $2) and ($3::text is null or ${table}.key = $3)
     and ($6::text is null or ${table}.cls = $6)`
  const touched = `(exists (select from journal_change c where c.entry_id = e.id and ${matches('c')})
                 or exists (select from journal_before b where b.entry_id = e.id and ${matches('b')}))`
  const rows = await database.query<EntryRow>(
    `${entrySql} where ($1::int is null or e.user_id = $1) and ($4::int is null or e.id < $4)
        and (($2::int is null and $3::text is null and $6::text is null) or ${touched})
      order by e.id desc limit $5`,
    [userId, resource, key, before, limit, cls],
  )
  const entries = rows.map(withoutUser)
  if (resource === null && key === null && cls === null) return entries
  const ids = entries.map(({ id }) => id)
  const changes = await listChanges(database, { ids, resource, key, cls, before: false, digests })
  return entries.map((entry) => ({ ...entry, changes: changes.get(entry.id) ?? [] }))
}

/** Finds an entry with all of its changes, and the id of its user. */
export async function findEntry(
  database: Queryable,
  { id, before }: { readonly id: number; readonly before: boolean },
): Promise<{ readonly entry: JournalEntry; readonly userId: number | null } | undefined> {
  const [row] = await database.query<EntryRow>(`${entrySql} where e.id = $1`, [id])
  if (row === undefined) return undefined
  const changes =
    (await listChanges(database, { ids: [id], ...everything, before, digests: before })).get(id) ?? []
  return { entry: { ...withoutUser(row), changes }, userId: row.userId }
}

/** Lists the ids of the resources before the changes of an entry. */
export async function listBeforeIds(database: Queryable, id: number): Promise<number[]> {
  const rows = await database.query<{ id: number }>(
    'select distinct resource_id as id from journal_before where entry_id = $1',
    [id],
  )
  return rows.map((row) => row.id)
}

const everything = { resource: null, key: null, cls: null }

interface ChangeFilter {
  readonly ids: readonly number[]
  readonly resource: number | null
  readonly key: string | null
  readonly cls: string | null
  /** Whether to read the resources before the changes. */
  readonly before: boolean
  readonly digests?: boolean
}

async function listChanges(
  database: Queryable,
  { ids, resource, key, cls, before, digests = false }: ChangeFilter,
): Promise<Map<number, JournalChange[]>> {
  const isOfAll = resource === null && key === null && cls === null
  const rows = await database.query<JournalChange & { entryId: number }>(
    `select c.entry_id as "entryId", c.action, c.key, c.cls, c.display_name, c.resource_id as id, c.outcome, c.version,
            c.data_version, coalesce(loses, '{}') as loses, c.bad_count
            ${before ? ", coalesce(c.before, '[]'::jsonb) as before, coalesce(c.referrers, '[]'::jsonb) as referrers, coalesce(c.after, '{}'::jsonb) as after" : ''}
            ${digests ? ", coalesce(c.digests, '{}'::jsonb) as digests" : ''}
            ${isOfAll ? '' : ', b.version as version_before, b.data_version as data_version_before'}
       from journal_change c left join journal_before b on b.entry_id = c.entry_id and b.position = c.position and b.place = 0
      where c.entry_id = any($1::int[])
        and (($2::int is null or c.resource_id = $2 or b.resource_id = $2) and ($3::text is null or c.key = $3))
        and ($4::text is null or c.cls = $4)
      order by c.entry_id, c.position`,
    [ids, resource, key, cls],
  )
  const found = isOfAll ? rows : [...rows, ...(await listTaken(database, { ids, resource, key, cls }))]
  const byEntry = Map.groupBy(found, ({ entryId }) => entryId)
  return new Map([...byEntry].map(([id, some]) => [id, some.map(({ entryId: _, ...change }) => change)]))
}

/** Lists deletions of a resource with one above it. */
async function listTaken(
  database: Queryable,
  { ids, resource, key, cls }: Pick<ChangeFilter, 'ids' | 'resource' | 'key' | 'cls'>,
): Promise<(JournalChange & { entryId: number })[]> {
  return database.query(
    `select b.entry_id as "entryId", 'delete' as action, coalesce(b.key, '#' || b.resource_id) as key, b.cls,
            b.display_name, b.resource_id as id, case c.outcome when 'replaced' then 'deleted' else c.outcome end as outcome,
            null as version, null as data_version, array[]::text[] as loses, 0 as bad_count, b.version as version_before,
            b.data_version as data_version_before, c.key as deleted_with
       from journal_before b join journal_change c on c.entry_id = b.entry_id and c.position = b.position
      where b.entry_id = any($1::int[]) and b.place > 0
        and ($2::int is null or b.resource_id = $2) and ($3::text is null or b.key = $3)
        and ($4::text is null or b.cls = $4)
      order by b.entry_id, b.position`,
    [ids, resource, key, cls],
  )
}

/** Deletes entries that began more days ago than given. */
export async function deleteOldEntries(database: Queryable, days: number): Promise<void> {
  await database.query(
    `delete from journal_entry where began_at < now() at time zone 'utc' - make_interval(days => $1)`,
    [days],
  )
}
