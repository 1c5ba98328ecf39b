import { TypeError as CelTypeError, Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js'
import type { Range } from '../../document/line_starts.ts'
import { AccessFacts, ChangeFacts, EditFacts, PlanFacts, TargetFacts } from './policy_facts.ts'

/** What a rule is evaluated for: the plan once, or each of its changes. */
export type PolicyScope = 'plan' | 'change' | 'access'

/** Fault of an expression, with its range in the text. */
export interface ExpressionFault {
  readonly message: string
  readonly range?: Range
}

/** Values of the variables. */
export interface PolicyValues {
  readonly plan: PlanFacts
  readonly change?: ChangeFacts
  readonly access?: AccessFacts
}

/** A checked expression. */
export interface PolicyExpression {
  /** Whether the result depends on the changes of access. */
  readonly readsAccess: boolean
  /** Evaluates it; a fault if it fails or its result is not true or false. */
  evaluate(values: PolicyValues): boolean | ExpressionFault
}

const limits = { maxAstNodes: 2000, maxDepth: 50 }

const base = new Environment({ limits, homogeneousAggregateLiterals: false })
  .registerType('Edit', {
    ctor: EditFacts,
    fields: { pointer: 'string', from: 'dyn', to: 'dyn', loses: 'bool' },
  })
  .registerType('Target', {
    ctor: TargetFacts,
    fields: { key: 'string', cls: 'string', display_name: 'string' },
  })
  .registerType('Change', {
    ctor: ChangeFacts,
    fields: {
      action: 'string',
      key: 'string',
      cls: 'string',
      display_name: 'string',
      path: 'list<string>',
      id: 'dyn',
      is_record: 'bool',
      adopts: 'bool',
      edits: 'list<Edit>',
      data: 'dyn',
      takes: 'dyn',
    },
  })
  .registerType('Access', {
    ctor: AccessFacts,
    fields: {
      change: 'string',
      principals: 'list<string>',
      permissions: 'list<string>',
      on: 'string',
      resources: 'list<Target>',
      implied: 'bool',
    },
  })
  .registerType('Plan', {
    ctor: PlanFacts,
    fields: {
      manifest: 'string',
      server: 'string',
      changes: 'list<Change>',
      access: 'list<Access>',
      unchanged: 'int',
      unknown: 'int',
    },
  })
  .registerVariable('plan', 'Plan')

const environments: Readonly<Record<PolicyScope, Environment>> = {
  plan: base.clone(),
  change: base.clone().registerVariable('change', 'Change'),
  access: base.clone().registerVariable('access', 'Access'),
}

/**
 * Parses and checks an expression: all names exist, all types fit, and the result is true or false.
 *
 * @see https://github.com/google/cel-spec
 */
export function readExpression(text: string, scope: PolicyScope): PolicyExpression | ExpressionFault {
  const environment = environments[scope]
  const { valid, type = '', error } = environment.check(text)
  if (!valid) return faultOf(error)
  if (type !== 'bool' && type !== 'dyn') return { message: `the result is a ${type}, not true or false` }
  const run = environment.parse(text)
  return {
    readsAccess: scope === 'access' || /\baccess\b/.test(text),
    evaluate: (values) => {
      try {
        const result: unknown = run(values)
        if (typeof result === 'boolean') return result
        return { message: 'the result is not true or false' }
      } catch (error) {
        return faultOf(error)
      }
    },
  }
}

function faultOf(error: unknown): ExpressionFault {
  if (!(error instanceof EvaluationError || error instanceof ParseError || error instanceof CelTypeError))
    return { message: String(error) }
  const message = `${error.summary.charAt(0).toLowerCase()}${error.summary.slice(1)}`
  return error.range === undefined ? { message } : { message, range: error.range }
}
