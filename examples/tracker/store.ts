/** The data of the tracker, in memory. Replace it with your database. */
import type { Comment, Issue, Label, Member } from './schemas.js';

export interface Milestone {
  readonly name: string;
  readonly due: string | null;
  closed: boolean;
}

export interface Project {
  readonly key: string;
  name: string;
  archived: boolean;
  /** The number of the last issue. Numbers of deleted issues are not used again. */
  lastIssue: number;
  lastComment: number;
  readonly issues: Map<string, Issue>;
  readonly comments: Map<string, Comment[]>;
  readonly labels: Map<string, Label>;
  readonly milestones: Map<string, Milestone>;
  readonly members: Map<string, Member>;
}

/** The input names something that does not exist, or that cannot be changed now. The model reads the message. */
export class Rejected extends Error {}

export class Store {
  readonly projects = new Map<string, Project>();
  readonly #clock: () => number;

  /** The clock is a parameter, so that tests can set it. */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  now(): string {
    return new Date(this.#clock()).toISOString();
  }

  addProject(key: string, name: string, owner: string): Project {
    if (this.projects.has(key)) throw new Rejected(`There is already a project ${key}.`);
    const project: Project = {
      key,
      name,
      archived: false,
      lastIssue: 0,
      lastComment: 0,
      issues: new Map(),
      comments: new Map(),
      labels: new Map(),
      milestones: new Map(),
      members: new Map([[owner, { name: owner, role: 'maintainer' }]]),
    };
    this.projects.set(key, project);
    return project;
  }

  project(key: string): Project {
    return find(this.projects, key, `There is no project ${key}.`);
  }

  /** A project that can be changed. */
  openProject(key: string): Project {
    const project = this.project(key);
    if (project.archived) throw new Rejected(`Project ${key} is archived.`);
    return project;
  }
}

/** The entry of a map, or an error that a model can act on. */
export function find<T>(map: ReadonlyMap<string, T>, key: string, missing: string): T {
  const found = map.get(key);
  if (found === undefined) {
    const known = [...map.keys()].slice(0, 10).join(', ');
    throw new Rejected(`${missing} ${known === '' ? 'There are none.' : `There are: ${known}.`}`);
  }
  return found;
}

export function findIssue(project: Project, id: string): Issue {
  return find(project.issues, id, `There is no issue ${id} in ${project.key}.`);
}

export function countOpen(issues: Iterable<Issue>): number {
  return [...issues].filter(({ status }) => status === 'open').length;
}

type Changes = { readonly [Field in keyof Issue]?: Issue[Field] | undefined };

/** Changes the fields that are given, and returns the changed issue. */
export function changeIssue(project: Project, id: string, changes: Changes): Issue {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const issue: Issue = { ...findIssue(project, id), ...Object.fromEntries(given) };
  if (issue.milestone !== null)
    find(project.milestones, issue.milestone, `There is no milestone ${issue.milestone}.`);
  project.issues.set(id, issue);
  return issue;
}
