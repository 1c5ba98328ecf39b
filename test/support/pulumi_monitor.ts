import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import engineGrpc from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import enginePb from '@pulumi/pulumi/proto/engine_pb.js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import grpc from '@pulumi/pulumi/proto/resource_grpc_pb.js'
import rpb from '@pulumi/pulumi/proto/resource_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import {
  check,
  create,
  diff,
  type Engine,
  none,
  remove,
  toStruct,
  update,
  type Wire,
} from './pulumi_engine.ts'

/** State of a stack: what the engine knows of each resource, by URN, in the order of creation. */
export type StackState = Map<
  string,
  { readonly id: string; readonly inputs: Wire; readonly outputs: Wire; readonly needs: readonly string[] }
>

/** A run of a program. */
export interface ProgramRun {
  /** What was done, in order: `create ResourceGroup::town`. */
  readonly steps: readonly string[]
  /** Errors and warnings that the program logs. */
  readonly messages: readonly string[]
  readonly code: number
  /** Exports of the program. */
  readonly exports: Wire
}

/** A program of Pulumi, and its stack. */
export interface Program {
  readonly engine: Engine
  /** Absolute path of the program. */
  readonly path: string
  readonly state: StackState
  readonly preview?: boolean
  readonly config?: Readonly<Record<string, string>>
}

type Reply<A> = (error: { readonly code: status; readonly message: string } | null, answer?: A) => void

const runner = fileURLToPath(import.meta.resolve('@pulumi/pulumi/cmd/run/index.js'))

/** Runs a program as the language host of Pulumi does, and does what the engine does with its resources. */
export async function runProgram(program: Program): Promise<ProgramRun> {
  const { engine, path, state, preview = false, config = {} } = program
  const run = {
    steps: [] as string[],
    messages: [] as string[],
    exports: {} as Wire,
    seen: new Set<string>(),
  }
  const server = new Server()
  server.addService(grpc.ResourceMonitorService as never, monitorOf(program, run) as never)
  server.addService(engineGrpc.EngineService as never, logOf(run.messages) as never)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  const address = `127.0.0.1:${port}`
  const names = ['--project', 'city', '--stack', 'dev', '--monitor', address, '--engine', address]
  const mode = ['--parallel', '8', ...(preview ? ['--dry-run'] : [])]
  const env = { ...process.env, PULUMI_NODEJS_TYPESCRIPT: 'false', PULUMI_CONFIG: JSON.stringify(config) }
  const child = spawn(process.execPath, [runner, ...names, ...mode, path], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => run.messages.push(text))
  const [code] = (await once(child, 'exit')) as [number]
  if (code === 0) await deleteRest({ engine, state, preview }, run)
  server.forceShutdown()
  return { ...run, code }
}

type Run = {
  readonly steps: string[]
  readonly messages: string[]
  exports: Wire
  readonly seen: Set<string>
}

function logOf(messages: string[]) {
  return {
    log: ({ request }: { readonly request: enginePb.LogRequest }, done: Reply<empty.Empty>) => {
      if (request.getSeverity() >= enginePb.LogSeverity.WARNING) messages.push(request.getMessage())
      done(null, new empty.Empty())
    },
    getRootResource: (_: unknown, done: Reply<enginePb.GetRootResourceResponse>) =>
      done(null, new enginePb.GetRootResourceResponse()),
    setRootResource: (_: unknown, done: Reply<enginePb.SetRootResourceResponse>) =>
      done(null, new enginePb.SetRootResourceResponse()),
  }
}

function monitorOf(program: Program, run: Run) {
  const { engine } = program
  return {
    supportsFeature: answer(async (request: rpb.SupportsFeatureRequest) =>
      new rpb.SupportsFeatureResponse().setHassupport(request.getId() === 'secrets'),
    ),
    registerResource: answer((request: rpb.RegisterResourceRequest) => register(program, run, request)),
    registerResourceOutputs: answer(async (request: rpb.RegisterResourceOutputsRequest) => {
      if (/::pulumi:pulumi:Stack::/.test(request.getUrn()))
        run.exports = (request.getOutputs()?.toJavaScript() ?? {}) as Wire
      return new empty.Empty()
    }),
    readResource: answer(async (request: rpb.ReadResourceRequest) => {
      const urn = `urn:pulumi:dev::city::${request.getType()}::${request.getName()}`
      const asked = new pb.ReadRequest().setUrn(urn).setId(request.getId())
      const found = await engine.call<pb.ReadResponse>('read', asked)
      run.steps.push(`read ${labelOf(urn)}`)
      return new rpb.ReadResourceResponse().setUrn(urn).setProperties(found.getProperties())
    }),
    invoke: answer(async (request: rpb.ResourceInvokeRequest) => {
      const asked = new pb.InvokeRequest().setTok(request.getTok()).setArgs(request.getArgs())
      const found = await engine.call<pb.InvokeResponse>('invoke', asked)
      return new rpb.ResourceInvokeResponse().setReturn(found.getReturn())
    }),
    signalAndWaitForShutdown: answer(async () => new empty.Empty()),
  }
}

function answer<Q, A>(work: (request: Q) => Promise<A>) {
  return ({ request }: { readonly request: Q }, done: Reply<A>) =>
    void work(request).then(
      (value) => done(null, value),
      (error: Error) => done({ code: status.UNKNOWN, message: error.message }),
    )
}

const labelOf = (urn: string) =>
  urn
    .split('::')
    .slice(2)
    .join('::')
    .replace(/^.*[$:](\w+::)/, '$1')

async function register(program: Program, run: Run, request: rpb.RegisterResourceRequest) {
  const [type, name] = [request.getType(), request.getName()]
  const types = request.getParent().split('::')[2]
  const prefix = types === undefined || types === 'pulumi:pulumi:Stack' ? '' : `${types}$`
  const urn = `urn:pulumi:dev::city::${prefix}${type}::${name}`
  const response = new rpb.RegisterResourceResponse().setUrn(urn).setObject(request.getObject())
  if (!request.getCustom()) return response
  if (run.seen.has(urn)) throw new Error(`duplicate resource URN ${urn}`)
  run.seen.add(urn)
  const news = (request.getObject()?.toJavaScript() ?? {}) as Wire
  const { id, outputs } = await writeOne(program, { run, urn, news, needs: request.getDependenciesList() })
  return response.setId(id).setObject(toStruct(outputs))
}

interface Registration {
  readonly run: Run
  readonly urn: string
  readonly news: Wire
  readonly needs: readonly string[]
}

async function writeOne(
  { engine, state, preview = false }: Program,
  { run, urn, news, needs }: Registration,
): Promise<{ readonly id: string; readonly outputs: Wire }> {
  const { inputs, failures } = await check(engine, urn, news)
  if (failures.length > 0)
    throw new Error(
      failures.map(({ property, reason }) => `${labelOf(urn)}: ${property}: ${reason}`).join('\n'),
    )
  const old = state.get(urn)
  const keep = (id: string, outputs: Wire) => {
    if (!preview) state.set(urn, { id, inputs, outputs, needs })
    return { id, outputs }
  }
  const found = old && (await diff(engine, urn, [old.inputs, inputs]))
  if (old !== undefined && found?.changes === none) return keep(old.id, old.outputs)
  if (old !== undefined && found?.replaces.length === 0) {
    run.steps.push(`update ${labelOf(urn)} ${Object.keys(found.paths).join(' ')}`)
    return keep(old.id, await update(engine, urn, { id: old.id, olds: old.inputs, news: inputs, preview }))
  }
  if (old !== undefined && !preview) await remove(engine, urn, old.id)
  run.steps.push(`${old === undefined ? 'create' : 'replace'} ${labelOf(urn)}`)
  const made = await create(engine, urn, inputs, preview)
  return keep(made.id, made.outputs)
}

async function deleteRest(
  { engine, state, preview }: Pick<Program, 'engine' | 'state' | 'preview'>,
  run: Run,
) {
  const rest = [...state.keys()].filter((urn) => !run.seen.has(urn)).reverse()
  for (const urn of rest) {
    run.steps.push(`delete ${labelOf(urn)}`)
    if (!preview) await remove(engine, urn, state.get(urn)?.id ?? '')
    if (!preview) state.delete(urn)
  }
}

/** Deletes all resources of a stack, as `pulumi destroy` does. */
export async function destroyStack(engine: Engine, state: StackState): Promise<string[]> {
  const run: Run = { steps: [], messages: [], exports: {}, seen: new Set() }
  await deleteRest({ engine, state, preview: false }, run)
  return run.steps
}
