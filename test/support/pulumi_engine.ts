import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { credentials, Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js'
import engineGrpc from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import type enginePb from '@pulumi/pulumi/proto/engine_pb.js'
import grpc from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import statusPb from '@pulumi/pulumi/proto/status_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { adminPassword } from './server.ts'

/** Values of properties as the engine sends them. */
export type Wire = Record<string, struct.JavaScriptValue>

/** Plays the engine of Pulumi for a provider in its own process. */
export interface Engine {
  readonly pid: number
  /** Warnings of the provider: URN and text. */
  readonly warnings: string[]
  /** What the provider wrote to its standard error. */
  readonly errors: string[]
  /** Address of its log, which emits "message" for each warning. */
  readonly logAddress: string
  readonly logged: EventEmitter
  /** Calls a function of the protocol, such as `check`. */
  call<A>(name: string, request: unknown): Promise<A>
  /** Calls a function, such as `Read`, with an encoded request. Returns the encoded answer. */
  send(name: string, request: Buffer): Promise<Buffer>
  /** Calls a function that returns a stream. */
  stream<A>(name: string, request: unknown): AsyncIterable<A>
  stop(): Promise<void>
  /** Kills the provider with SIGKILL. */
  kill(): Promise<void>
  /** Leaves the provider as an engine that is killed: without a signal. Returns its exit code. */
  leave(): Promise<number | null>
}

const program = fileURLToPath(new URL('../../src/cli/pulumi_provider.ts', import.meta.url))

/** Starts the provider in the folder of a program and connects to the port that it prints. */
export async function startEngine(folder = process.cwd()): Promise<Engine> {
  const warnings: string[] = []
  const logged = new EventEmitter()
  const log = await serveLog(warnings, logged)
  const child = spawn(process.execPath, [program, log.address], {
    stdio: 'pipe',
    cwd: folder,
  })
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const options = { 'grpc.max_receive_message_length': -1 }
  const client = new grpc.ResourceProviderClient(`127.0.0.1:${line}`, credentials.createInsecure(), options)
  const methods = client as unknown as Record<string, (...args: unknown[]) => unknown>
  const end = async (send: () => unknown) => {
    client.close()
    send()
    const [code] = await exited
    log.stop()
    return code
  }
  return {
    pid: child.pid ?? 0,
    warnings,
    errors,
    logAddress: log.address,
    logged,
    call: <A>(name: string, request: unknown) =>
      new Promise<A>((resolve, reject) => {
        methods[name]?.call(client, request, (error: unknown, answer: unknown) =>
          error ? reject(error) : resolve(answer as A),
        )
      }),
    send: (name, request) =>
      new Promise((resolve, reject) => {
        const keep = (bytes: Buffer) => bytes
        client.makeUnaryRequest(
          `/pulumirpc.ResourceProvider/${name}`,
          keep,
          keep,
          request,
          (error, answer) => (error ? reject(error) : resolve(answer ?? Buffer.alloc(0))),
        )
      }),
    stream: <A>(name: string, request: unknown) => methods[name]?.call(client, request) as AsyncIterable<A>,
    stop: async () => void (await end(() => child.kill('SIGTERM'))),
    kill: async () => void (await end(() => child.kill('SIGKILL'))),
    leave: () => end(() => child.stdin.end()),
  }
}

/** Serves the log of an engine. */
async function serveLog(warnings: string[], logged: EventEmitter) {
  const server = new Server()
  server.addService(engineGrpc.EngineService as never, {
    log: (
      { request }: { readonly request: enginePb.LogRequest },
      done: (error: null, answer: empty.Empty) => void,
    ) => {
      warnings.push(`${request.getUrn().split('::').at(-1)}: ${request.getMessage()}`)
      logged.emit('message')
      done(null, new empty.Empty())
    },
  })
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  )
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() }
}

/** Writes properties to the wire. */
export const toStruct = (values: Wire) => struct.Struct.fromJavaScript(values)

/** Returns the URN of a resource. */
export const urnOf = (type: string, name: string) => `urn:pulumi:dev::city::landform:index:${type}::${name}`

/** Configures a provider, with the account of the administrator if no other is given. */
export const configure = (engine: Engine, settings: Wire) =>
  engine.call('configure', new pb.ConfigureRequest().setArgs(toStruct(settings)))

/** Starts a provider for a server with the account of the administrator; paths start from the folder of the program. */
export async function startConfigured(
  url: string,
  settings: Wire = {},
  folder: string = process.cwd(),
): Promise<Engine> {
  const engine = await startEngine(folder)
  // The engine sends where the provider is, not where the program is.
  const handshake = new pb.ProviderHandshakeRequest().setEngineAddress(engine.logAddress)
  await engine.call(
    'handshake',
    handshake.setRootDirectory(dirname(program)).setProgramDirectory(dirname(program)),
  )
  await configure(engine, { server: url, password: adminPassword, ...settings })
  return engine
}

/** Checks inputs and returns them as the provider completes them, with its failures by property. */
export async function check(engine: Engine, urn: string, news: Wire) {
  const request = new pb.CheckRequest().setUrn(urn).setNews(toStruct(news))
  return readCheck(await engine.call<pb.CheckResponse>('check', request))
}

/** Reads the answer to a check. */
export function readCheck(answer: pb.CheckResponse) {
  return {
    inputs: (answer.getInputs()?.toJavaScript() ?? {}) as Wire,
    failures: answer
      .getFailuresList()
      .map((one) => ({ property: one.getProperty(), reason: one.getReason() })),
  }
}

/** Compares inputs; returns the kind of change by property path. */
export async function diff(engine: Engine, urn: string, [olds, news, ignored = [], id = '']: Sides) {
  const request = new pb.DiffRequest().setUrn(urn).setOldInputs(toStruct(olds)).setNews(toStruct(news))
  request.setId(id).setIgnorechangesList([...ignored])
  const answer = await engine.call<pb.DiffResponse>('diff', request)
  const detailed = [...answer.getDetaileddiffMap().entries()] as unknown as [string, pb.PropertyDiff][]
  return {
    changes: answer.getChanges(),
    replaces: answer.getReplacesList(),
    deletesFirst: answer.getDeletebeforereplace(),
    paths: Object.fromEntries(detailed.map(([path, one]) => [path, one.getKind()])),
  }
}

type Sides = readonly [olds: Wire, news: Wire, ignored?: readonly string[], id?: string]

/** Creates a resource, or previews its creation. */
export async function create(engine: Engine, ...[urn, inputs, preview = false]: [string, Wire, boolean?]) {
  const request = new pb.CreateRequest().setUrn(urn).setProperties(toStruct(inputs)).setPreview(preview)
  const answer = await engine.call<pb.CreateResponse>('create', request)
  return { id: answer.getId(), outputs: (answer.getProperties()?.toJavaScript() ?? {}) as Wire }
}

/** Inputs of a resource before and after an update. */
export interface UpdateCall {
  readonly id: string
  readonly olds: Wire
  readonly news: Wire
  readonly preview?: boolean
}

/** Updates a resource and returns its outputs. */
export async function update(engine: Engine, urn: string, { id, olds, news, preview = false }: UpdateCall) {
  const request = new pb.UpdateRequest().setId(id).setUrn(urn).setPreview(preview)
  request.setOldInputs(toStruct(olds)).setNews(toStruct(news))
  const answer = await engine.call<pb.UpdateResponse>('update', request)
  return (answer.getProperties()?.toJavaScript() ?? {}) as Wire
}

/** A resource in the state of a stack; without inputs, one to import. */
export interface ReadCall {
  readonly id: string
  readonly inputs: Wire
  readonly outputs?: Wire
}

/** Reads a resource, for a refresh or, without inputs, for an import. */
export const readState = async (engine: Engine, urn: string, call: ReadCall) =>
  readAnswer(await engine.call<pb.ReadResponse>('read', readRequest(urn, call)))

/** Returns the request that reads a resource. */
export const readRequest = (urn: string, { id, inputs, outputs = {} }: ReadCall) =>
  new pb.ReadRequest().setUrn(urn).setId(id).setInputs(toStruct(inputs)).setProperties(toStruct(outputs))

/** Reads the answer to the request that reads a resource. */
export function readAnswer(answer: pb.ReadResponse) {
  return {
    id: answer.getId(),
    inputs: (answer.getInputs()?.toJavaScript() ?? {}) as Wire,
    outputs: (answer.getProperties()?.toJavaScript() ?? {}) as Wire,
  }
}

/** Reads the id and the inputs of a resource. */
export async function read(engine: Engine, urn: string, call: ReadCall) {
  const { id, inputs } = await readState(engine, urn, call)
  return { id, inputs }
}

/** Deletes a resource. */
export const remove = (engine: Engine, urn: string, id: string) =>
  engine.call('delete', new pb.DeleteRequest().setId(id).setUrn(urn))

/** Calls a function of the package. */
export async function invoke(engine: Engine, token: string, args: Wire) {
  const request = new pb.InvokeRequest().setTok(token).setArgs(toStruct(args))
  const answer = await engine.call<pb.InvokeResponse>('invoke', request)
  return answer.getReturn()?.toJavaScript() ?? {}
}

/** Reads the half-made resource from the details of an error; undefined if the error has none. */
export function readInitFailure(error: unknown): pb.ErrorResourceInitFailed.AsObject | undefined {
  const [bytes] = (error as ServiceError).metadata.get('grpc-status-details-bin')
  if (bytes === undefined) return undefined
  const [detail] = statusPb.Status.deserializeBinary(bytes as Buffer).getDetailsList()
  return detail && pb.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8()).toObject()
}

/** Kinds of changes of a difference. */
export const { DIFF_NONE: none, DIFF_SOME: some } = pb.DiffResponse.DiffChanges
