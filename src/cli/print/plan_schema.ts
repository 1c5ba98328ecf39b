import { actions } from '../../contract/bodies/journal.ts'
import { catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { oneOf } from '../../contract/descriptor.ts'
import { principalKinds } from '../../contract/principal.ts'
import { Type } from '../../contract/schema/type.ts'
import { eventVersion } from './events.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ minimum: 0, description })
const optional = Type.Optional
const extensionCounts = (description: string) =>
  Type.Object(
    { attachments: count('Attachments.'), descriptions: count('Descriptions.') },
    { additionalProperties: false, description },
  )
const constant = <T>(value: T, words: object = {}) => Type.Unsafe<T>({ const: value, ...words })
const names = (description: string) => Type.Array(Type.String(), { description })
const path = Type.Array(Type.String(), { description: 'Display names from the root to the resource.' })

const SpanSchema = Type.Object(
  {
    file: Type.String(),
    line: Type.Integer(),
    column: Type.Integer(),
    endLine: Type.Integer(),
    endColumn: Type.Integer(),
  },
  { ...closed, description: 'Position in a manifest; lines and columns start at 1.' },
)

const TargetSchema = Type.Object(
  { key: Type.String(), cls: Type.String(), display_name: Type.String() },
  closed,
)

const StyleEditSchema = Type.Object(
  {
    path: Type.Array(Type.String(), {
      description: 'Names from the style down, such as `rule "Motorways"`, `line 2`.',
    }),
    action: oneOf(['add', 'remove', 'change'], {}),
    property: optional(text('Name of what changes, such as `width`.')),
    from: optional(text('Old value, or what is removed, in words.')),
    to: optional(text('New value, or what is added, in words.')),
  },
  closed,
)

const EditSchema = Type.Object(
  {
    pointer: text('JSON Pointer in the resource; items of lists are named by their key.'),
    from: optional(Type.Unknown({ description: 'Old value; absent if the field is new.' })),
    to: optional(Type.Unknown({ description: 'New value; absent if the field is removed.' })),
    loses: optional(text('Data that the change deletes.')),
    lost_values: optional(count('Number of values that the change deletes.')),
    unconvertible: optional(count('Number of values that cannot be converted to the new datatype.')),
    replaces: optional(text('Reason why the change is impossible in place.')),
    reason: optional(text('Why the value changes, if the manifest does not set it.')),
    moves: optional(
      constant(true, { description: 'An item of a layer tree moves; `from` and `to` name its groups.' }),
    ),
    secret: optional(constant(true, { description: 'The value is a secret and omitted.' })),
    released: optional(
      constant(true, {
        description: 'The manifest sets the field no longer, and its value stays.',
      }),
    ),
    stays: optional(text('Why the value stays, or how to change it.')),
    origin: optional(
      oneOf(['manifest', 'server', 'both'], {
        description: 'Which of them changed the field since the last apply; absent if unknown.',
      }),
    ),
    style: optional(
      Type.Array(StyleEditSchema, {
        description: 'Differences by rule and symbol, if the values are styles; empty if they draw the same.',
      }),
    ),
  },
  closed,
)

const SkippedSchema = Type.Object(
  { bad_count: count('Number of invalid features.'), bad: Type.Array(Type.Unknown()) },
  { ...closed, description: 'Invalid features that the load skips: number, and the first of them.' },
)

const DataSchema = Type.Object(
  {
    source: text('File, as the manifest writes it.'),
    size_bytes: count('Size of the file.'),
    reason: text('Reason for the load.'),
    feature_count_before: optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'Features to replace; null if unknown.' }),
    ),
    feature_count_after: optional(count('Features in the source.')),
    skipped: optional(SkippedSchema),
    lost_fields: optional(
      Type.Array(Type.Unknown(), { description: 'Fields without values in the source.' }),
    ),
    source_fields: optional(
      Type.Array(Type.Unknown(), { description: 'Fields of the source, with keyname and datatype.' }),
    ),
    fields_left_out: optional(
      Type.Array(Type.String(), { description: 'Fields of the source that the manifest does not list.' }),
    ),
    fields_lacking: optional(
      Type.Array(Type.String(), { description: 'Fields of the manifest that the source does not have.' }),
    ),
    fields_converted: optional(
      Type.Array(Type.String(), {
        description: 'Converted fields, because of which all features are replaced despite mode sync.',
      }),
    ),
    difference: optional(
      Type.Object(
        {
          added: count('Features that only the source has.'),
          changed: count('Features with other values or another geometry.'),
          removed: count('Features that only the layer has.'),
          removed_attachments: count('Attachments of these features.'),
          removed_descriptions: count('Descriptions of these features.'),
          kept: count(
            'Features that only the layer has and that are kept, because rows of the source are bad.',
          ),
          unchanged: count('Features that are equal.'),
          examples: Type.Array(Type.Unknown(), { description: 'The first features of each kind, by key.' }),
        },
        { ...closed, description: 'Differences by key, if only the features that differ are changed.' },
      ),
    ),
    server_edits: optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'Writes to the data since the last load, which this load overwrites; null if unknown.',
      }),
    ),
    edited_features: optional(
      Type.Object(
        {
          ids: Type.Array(Type.Integer(), { description: 'Features that were written or deleted.' }),
          complete: Type.Boolean({ description: 'Whether these are all of them.' }),
        },
        { ...closed, description: 'Features that these writes changed; absent if none is known.' },
      ),
    ),
    last_server_edit: optional(
      Type.Object(
        {
          at: Type.String({ description: 'UTC, ISO 8601 without time zone.' }),
          by: Type.Union([Type.String(), Type.Null()], {
            description: 'Keyname of the user; null if unknown.',
          }),
        },
        { ...closed, description: 'The last of these writes; absent if the server does not tell.' },
      ),
    ),
  },
  { ...closed, description: 'Data that are loaded.' },
)

const TakesSchema = Type.Object(
  {
    resources: count('Resources below the deleted one.'),
    below: optional(
      Type.Array(
        Type.Object(
          {
            id: Type.Integer(),
            key: text('Keyname or `#id`.'),
            cls: Type.String(),
            display_name: Type.String(),
            features: optional(count('Features.')),
            files: optional(count('Files.')),
            attachments: optional(count('Files attached to features.')),
            bytes: optional(count('Storage.')),
          },
          closed,
        ),
        { description: 'Those resources, with what they hold; what is unknown or 0 is absent.' },
      ),
    ),
    unmanaged: Type.Array(Type.String(), { description: 'Those that the manifest does not manage.' }),
    features: optional(count('Features in the deleted layers; absent if unknown.')),
    files: optional(count('Files of the deleted resources; absent if 0.')),
    attachments: optional(count('Files attached to deleted features; absent if 0 or unknown.')),
    bytes: optional(count('Storage of features, files and styles; absent if unknown.')),
    changed: optional(
      Type.Object(
        {
          key: text('Resource.'),
          at: text('UTC, ISO 8601 without time zone.'),
          by: Type.Union([Type.String(), Type.Null()], { description: 'User; null if unknown.' }),
        },
        { ...closed, description: 'Last change of the deleted resources and their data; absent if unknown.' },
      ),
    ),
    referrers: optional(
      Type.Array(
        Type.Object(
          {
            id: optional(Type.Integer({ description: 'Resource; absent for records of the catalog.' })),
            key: Type.String(),
            cls: Type.String(),
            path,
            loses: Type.Array(Type.String()),
            refuses: Type.Boolean(),
          },
          closed,
        ),
        { description: 'Resources that refer to deleted ones.' },
      ),
    ),
  },
  { ...closed, description: 'What else a deletion deletes.' },
)

const event = (type: string, fields: Parameters<typeof Type.Object>[0], description: string) =>
  Type.Object(
    { v: constant(eventVersion), type: constant(type), ...fields },
    { ...closed, title: type, description },
  )

const PlanEvents = [
  event(
    'plan',
    {
      manifest: text('Id of the manifest.'),
      server: text('URL of the server.'),
      caller: optional(text('Account that read the server.')),
      complete: optional(Type.Boolean({ description: 'Whether it can read all resources.' })),
      only: optional(names('Keys of the only resources that the plan is about, with what they need.')),
    },
    'The first event.',
  ),
  event(
    'issue',
    {
      code: text('Stable code.'),
      severity: oneOf(['error', 'warning'], { description: 'Errors block the plan.' }),
      message: Type.String(),
      span: optional(SpanSchema),
      pointer: optional(Type.String()),
      hint: optional(Type.String()),
    },
    'An error or a warning.',
  ),
  event(
    'change',
    {
      action: oneOf(actions, { description: 'What happens to the resource.' }),
      key: text('Key in the manifest; for deletions, keyname or `#id`.'),
      cls: text(
        `Class of the resource; ${catalogKinds.join(' or ')} for records of the catalog; ${principalKinds.join(' or ')}.`,
      ),
      display_name: Type.String(),
      path,
      id: optional(Type.Integer({ description: 'Id on the server; absent for creations.' })),
      records: optional(
        Type.Object(
          {
            gained: names('Fields that the manifest sets from now on.'),
            lost: names('Fields that it no longer sets.'),
            key: optional(
              oneOf(['written', 'removed'], {
                description: 'Whether the record of a renamed key is written or removed.',
              }),
            ),
            renamed: optional(constant(true, { description: 'Keys that its fields refer to are renamed.' })),
          },
          {
            ...closed,
            description: 'Changed record of the fields that the manifest sets, without another change.',
          },
        ),
      ),
      adopts: optional(constant(true, { description: 'The manifest manages the resource from now on.' })),
      marks_source: optional(
        text(
          'Source with the features of the layer, which is marked as loaded from it; only of landform adopt.',
        ),
      ),
      edits: Type.Array(EditSchema),
      data: optional(DataSchema),
      restores: optional(
        Type.Object(
          {
            features: count('Features.'),
            returns: optional(extensionCounts('Attachments and descriptions of features that come back.')),
            deletes: optional(extensionCounts('Attachments and descriptions of features that are deleted.')),
          },
          { ...closed, description: 'Data that the server kept, and that an undo restores.' },
        ),
      ),
      takes: optional(TakesSchema),
    },
    'A change of a resource or of a record of the catalog.',
  ),
  event(
    'unknown',
    { key: Type.String(), cls: Type.String(), path, reason: Type.String() },
    'A resource without a plan, because the account cannot see whether it exists.',
  ),
  event(
    'access',
    {
      change: oneOf(['gain', 'loss'], { description: 'Whether permissions are gained or lost.' }),
      principals: Type.Array(Type.String(), { description: 'Users and groups.' }),
      permissions: Type.Array(Type.String()),
      except: optional(
        Type.Array(Type.String(), {
          description: 'Users and groups among these who gain nothing, since rules deny it to them.',
        }),
      ),
      on: oneOf(['existing', 'new', 'deleted'], { description: 'Which resources these are.' }),
      resources: Type.Array(TargetSchema),
      causes: Type.Array(SpanSchema),
      implied: Type.Boolean({ description: 'Whether a more general principal has the same change.' }),
    },
    'The same change of permissions on some resources.',
  ),
  event(
    'blocked_rules',
    {
      principal: Type.String({ description: 'User or group.' }),
      resources: Type.Array(TargetSchema, { description: 'The resources that have the rules.' }),
      unreadable: TargetSchema,
      causes: Type.Array(SpanSchema),
    },
    'Rules that the plan adds and that have no effect, since those for whom they are cannot read the resource `unreadable`.',
  ),
  event(
    'summary',
    {
      ...Object.fromEntries(actions.map((action) => [action, count(`Number of changes to ${action}.`)])),
      unchanged: count('Number of resources and records without changes.'),
      unknown: count('Number of resources and records without a plan.'),
      uncompared_secrets: optional(
        Type.Array(Type.Object({ key: Type.String(), field: Type.String() }, closed), {
          description:
            'Secrets that the plan does not send, and of which it is not known whether they changed.',
        }),
      ),
      access_complete: optional(Type.Boolean()),
      access_users: optional(Type.Boolean()),
      fingerprint: text('SHA-256 of the changes and versions.'),
    },
    'The last event.',
  ),
]

/** Builds the JSON Schema of a line of `plan --json`. */
export function planEventSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Event of landform plan --json',
    description: 'One line; the version `v` is incremented with each incompatible change.',
    anyOf: PlanEvents,
  }
}
