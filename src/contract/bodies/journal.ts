import type { Static } from 'typebox'
import { nullable, oneOf } from '../descriptor.ts'
import { maxResourceId } from '../limits.ts'
import { AnyObjectSchema } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Kind of a change of an apply. */
export type Action = (typeof actions)[number]

/** All actions, in display order. */
export const actions = ['create', 'adopt', 'update', 'move', 'replace', 'delete'] as const

/** Kind of a change in the journal. */
export type JournalAction = (typeof journalActions)[number]

/** Kinds of changes in the journal, in display order: `record` changes no more than what a manifest records on a resource. */
export const journalActions = [
  'create',
  'adopt',
  'record',
  'update',
  'move',
  'replace',
  'delete',
] as const satisfies readonly (Action | 'record')[]

/** Outcome of each action on success. */
export const outcomeWords = {
  create: 'created',
  adopt: 'adopted',
  record: 'recorded',
  update: 'updated',
  move: 'moved',
  replace: 'replaced',
  delete: 'deleted',
} as const satisfies Record<JournalAction, string>

/** Outcomes of changes that were not applied. */
const failureWords = ['failed', 'skipped'] as const

/** Outcome of a change of an apply. */
export type OutcomeWord = (typeof outcomeWords)[JournalAction] | (typeof failureWords)[number]

/** Outcomes of changes that were applied, in display order. */
export const successWords = journalActions.map((action) => outcomeWords[action])

/** All outcomes of changes, in display order. */
export const outcomeNames: readonly OutcomeWord[] = [...successWords, ...failureWords]

/** Result of a whole apply. */
export type ApplyResult = (typeof applyResults)[number]

/** All results of applies: `partial` if some changes were applied, `failed` if none; `interrupted` if the client stopped or was lost. */
export const applyResults = ['applied', 'partial', 'failed', 'interrupted'] as const

/**
 * Header of requests that create, change or delete one resource for an apply: entry, place of the change in it, and outcome, such
 * as `12/3/updated`. The server records the outcome in the transaction of the request.
 */
export const journalHeader = 'landform-journal'

/** Maximum number of changes of an entry of the journal. */
export const maxJournalChanges = 100_000

/** Maximum number of entries in a list of the journal. */
export const maxJournalEntries = 1000

/** Days that the server keeps entries of the journal. */
export const journalDays = 400

const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

const changeMembers = {
  action: oneOf(journalActions, { description: 'Planned change.' }),
  key: name('Key in the manifest, and keyname of the resource.'),
  cls: name('Class of the resource, or kind of the record of the catalog.'),
  display_name: name('Display name.'),
  id: Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: maxResourceId }), { description: 'Resource.' }),
  ),
} as const

const loses = Type.Optional(
  Type.Array(Type.String({ maxLength: 1000 }), {
    maxItems: 1000,
    description:
      'Data that the change deletes, in words; an undo restores what the server still keeps of them.',
  }),
)
const badCount = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Number of invalid features that the load of the change skips.',
  }),
)
const before = Type.Optional(
  Type.Array(AnyObjectSchema, {
    maxItems: maxJournalChanges,
    description: 'Resource before the change; for deletions, with its descendants.',
  }),
)
const referrers = Type.Optional(
  Type.Array(AnyObjectSchema, {
    maxItems: maxJournalChanges,
    description: 'Other resources before a deletion that takes their references to the deleted ones.',
  }),
)
const digests = Type.Optional(
  Type.Record(Type.String({ maxLength: 4000 }), nullable(Type.String({ maxLength: 64 })), {
    maxProperties: maxJournalChanges,
    description: 'Digests of the values that the change sets, by field; null for removed values. No secrets.',
  }),
)
const after = Type.Optional(
  Type.Unsafe<Readonly<Record<string, Readonly<Record<string, unknown>>>>>({
    type: 'object',
    description: 'Layer tree of a web map that the change sets, by member and field, with keys of styles.',
  }),
)
const undoes = Type.Optional(
  nullable(Type.Integer({ minimum: 0, maximum: maxResourceId }), {
    description: 'Entry that this apply undoes.',
  }),
)

const entryMembers = {
  manifest: name('Id of the manifest.'),
  commit: Type.Optional(
    nullable(Type.String({ maxLength: 255 }), {
      description: 'Version of the manifest files, such as a git commit.',
    }),
  ),
  plan: Type.Optional(
    nullable(Type.String({ maxLength: 255 }), { description: 'SHA-256 of the plan, in hexadecimal.' }),
  ),
} as const

/** Entry of the journal, before an apply. */
export const NewJournalEntrySchema = Type.Object({
  ...entryMembers,
  undoes,
  changes: Type.Array(
    Type.Object({ ...changeMembers, loses, bad_count: badCount, before, referrers, after, digests }),
    {
      maxItems: maxJournalChanges,
      description: 'Planned changes, in order.',
    },
  ),
})

/** Result of an apply. */
export const JournalResultSchema = Type.Object({
  result: oneOf(applyResults, { description: 'Result of the apply.' }),
  outcomes: Type.Array(
    Type.Object({
      outcome: oneOf(outcomeNames, { description: 'Result of the change.' }),
      id: Type.Optional(
        nullable(Type.Integer({ minimum: 0, maximum: maxResourceId }), { description: 'Resource.' }),
      ),
      bad_count: badCount,
      digests,
    }),
    { maxItems: maxJournalChanges, description: 'Results of the changes, in the order of the entry.' },
  ),
})

/** Change in an entry of the journal. */
export const JournalChangeSchema = Type.Object({
  ...changeMembers,
  version: nullable(Type.Integer(), {
    description: 'Version of the resource after the change; null if it was deleted, or is unknown.',
  }),
  data_version: Type.Optional(
    nullable(Type.Integer(), {
      description:
        'Version of the data of the layer after the change; null if it has none, or it is unknown.',
    }),
  ),
  version_before: Type.Optional(
    nullable(Type.Integer(), {
      description: 'Version of the resource before the change; only in the history of a resource.',
    }),
  ),
  data_version_before: Type.Optional(
    nullable(Type.Integer(), {
      description: 'Version of the data of the layer before the change; only in the history of a resource.',
    }),
  ),
  deleted_with: Type.Optional(
    Type.String({ description: 'Key of the resource above it whose deletion deleted this one.' }),
  ),
  loses,
  bad_count: badCount,
  before,
  referrers,
  after,
  digests,
  outcome: Type.Union([oneOf(outcomeNames), Type.Null()], {
    description: 'Result; null if the client has not reported it.',
  }),
})

const time = { description: 'UTC, ISO 8601 without time zone.' } as const

/** Entry of the journal: one apply. */
export const JournalEntrySchema = Type.Object({
  id: Type.Integer({ description: 'Entry.' }),
  user: Type.String({ description: 'Keyname of the user at that time.' }),
  ...entryMembers,
  undoes,
  began: Type.String(time),
  ended: nullable(Type.String(time), time),
  result: Type.Union([oneOf(applyResults), Type.Null()], {
    description:
      'Result; null while the apply runs, or if its client was lost, until another apply of the manifest begins.',
  }),
  counts: Type.Record(Type.String(), Type.Integer(), {
    description:
      'Number of changes by outcome, and by action such as `to create` where the outcome is unknown.',
  }),
  restorable: Type.Optional(
    Type.Array(Type.Integer(), {
      description:
        'Ids of resources before the changes that were deleted and that the caller may restore; only with these.',
    }),
  ),
  changes: Type.Optional(
    Type.Array(JournalChangeSchema, {
      description: 'Changes: all of an entry, or those of a requested resource.',
    }),
  ),
})

/** Entry of the journal, in responses. */
export type JournalEntry = Static<typeof JournalEntrySchema>
/** Entry of the journal, before an apply. */
export type NewJournalEntry = Static<typeof NewJournalEntrySchema>
/** Result of an apply, in requests. */
export type JournalResult = Static<typeof JournalResultSchema>
/** Change in an entry of the journal. */
export type JournalChange = Static<typeof JournalChangeSchema>
