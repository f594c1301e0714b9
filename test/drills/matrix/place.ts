import type { Api } from '../../e2e/api.ts';
import type { Component } from './faults.ts';

/** A running Burnish in which parts fail: a cluster, or one process with everything embedded. */
export interface Place {
  url: string;
  apiKey: string;
  api: Api;
  /** What can fail here */
  parts: Partial<Record<Component, Processes | Outage>>;
  /** Records of uploads with these ids, or whose file name has this prefix; waits for a database that is away */
  rows(prefix: string, ids: readonly string[]): Promise<Row[]>;
  /** Paths of the stored files, without the marker of the instance */
  files(): Promise<string[]>;
  /** Starts processes again that ended by themselves, as an orchestrator does. @returns their names */
  replaceDead(): Promise<string[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Processes that can fail and recover. */
export interface Processes {
  pids(): number[];
  kill(): Promise<void>;
  /** Requests an orderly end; storage is killed instead */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Begins a fault that lasts. @returns what ends it */
export type Outage = () => Promise<() => Promise<void>>;

/** An upload and its enhancement. */
export interface Row {
  id: string;
  name: string;
  status: string;
  sub_status: string | null;
  error_code: string | null;
  enhancement: string | null;
  enhancement_status: string | null;
  enhancement_error: string | null;
  captures: number;
  /** Reservations that are neither captured nor released */
  reserved: number;
}
