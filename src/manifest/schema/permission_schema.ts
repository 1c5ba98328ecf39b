import { RuleSchema } from '../../contract/bodies/resource.ts'
import { scopes } from '../../contract/permissions.ts'
import { ruleIdentities } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { type JsonSchema, whenMember } from './field_schema.ts'

const fields = RuleSchema.properties as unknown as Readonly<Record<string, Schema & { description: string }>>

function described(name: string, schema: JsonSchema): JsonSchema {
  return { ...schema, description: fields[name]?.description ?? '' }
}

/** Schema of a permission rule. */
export function ruleSchema(): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['action', 'principal', 'scope', 'permission', 'propagate'],
    properties: {
      action: described('action', { type: 'string', enum: ['allow', 'deny'] }),
      principal: principalSchema('User or group that the rule applies to.'),
      identity: described('identity', { type: 'string', enum: [...ruleIdentities], default: '' }),
      scope: described('scope', { type: 'string', enum: ['', ...Object.keys(scopes)] }),
      permission: described('permission', { type: 'string' }),
      propagate: described('propagate', { type: 'boolean' }),
    },
    allOf: [
      whenMember('scope', '', permissionOneOf([''])),
      ...Object.entries(scopes).map(([scope, { permissions }]) =>
        whenMember('scope', scope, permissionOneOf(['', ...Object.keys(permissions)])),
      ),
    ],
  }
}

function permissionOneOf(words: readonly string[]): JsonSchema {
  return { type: 'object', properties: { permission: { type: 'string', enum: words } } }
}

/** Schema of the name of a user or group. */
export function principalSchema(what: string): JsonSchema {
  const forms = 'A keyname: guest, user:anna or group:editors.'
  return { type: 'string', pattern: '^(user:|group:)?[^:]+$', description: `${what} ${forms}` }
}

/** Schema of the rules of a resource: a list owns all rules, `include` only the listed ones. */
export function permissionsSchema(): JsonSchema {
  const rules = { type: 'array', items: { $ref: '#/definitions/rule' } }
  return {
    description:
      'Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others.',
    anyOf: [
      rules,
      { type: 'object', additionalProperties: false, required: ['include'], properties: { include: rules } },
    ],
  }
}
