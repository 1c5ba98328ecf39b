import {
  JournalEntrySchema,
  JournalResultSchema,
  maxJournalEntries,
  NewJournalEntrySchema,
} from '../bodies/journal.ts'
import { maxResourceId } from '../limits.ts'
import { EmptySchema, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const entries = { route: 'landform.journal.collection', path: '/api/component/landform/journal/' } as const
const digests = Type.Boolean({
  description:
    'Whether to return digests of the values that the changes set; of a resource, for those who can update it.',
})
const entry = {
  route: 'landform.journal.item',
  path: '/api/component/landform/journal/{id}',
  params: Type.Object({ id: Type.Integer({ minimum: 0, description: 'Entry.' }) }),
} as const

/** Operations of the journal: who applied which manifest when, and what it changed. */
export const journalRoutes = {
  'journal.list': {
    ...entries,
    method: 'GET',
    forUsers: true,
    summary:
      'Lists applies, newest first: all for administrators, else those of the caller; with `resource`, all that changed a readable resource.',
    query: query({
      resource: Type.Integer({
        minimum: 0,
        maximum: maxResourceId,
        description: 'Resource that the applies changed.',
      }),
      key: Type.String({
        maxLength: 255,
        description: 'Key of a resource or record that the applies changed.',
      }),
      cls: Type.String({
        maxLength: 255,
        description: 'Class of resources, or kind of records, users or groups, that the applies changed.',
      }),
      before: Type.Integer({
        minimum: 0,
        maximum: maxResourceId,
        description: 'Entry that the others are older than.',
      }),
      limit: Type.Integer({
        minimum: 1,
        maximum: maxJournalEntries,
        description: 'Maximum number of entries; 20 if absent.',
      }),
      digests,
    }),
    response: Type.Array(JournalEntrySchema),
  },
  'journal.begin': {
    ...entries,
    method: 'POST',
    forUsers: true,
    takesKey: true,
    summary: 'Records that an apply begins.',
    body: NewJournalEntrySchema,
    bodySize: 'large',
    response: Type.Object({ id: Type.Integer({ description: 'Entry, for `journal` of the batch.' }) }),
  },
  'journal.get': {
    ...entry,
    method: 'GET',
    forUsers: true,
    summary: 'Returns an apply with its changes; for administrators, and the user who applied.',
    query: query({
      before: Type.Boolean({
        description:
          'Whether to return the resources before the changes, and digests of the values that they set.',
      }),
    }),
    response: JournalEntrySchema,
  },
  'journal.finish': {
    ...entry,
    method: 'PUT',
    forUsers: true,
    summary: 'Records the result of an apply; for the user who applied.',
    body: JournalResultSchema,
    bodySize: 'large',
    response: EmptySchema,
  },
} as const satisfies Record<string, RouteDescriptor>
