#!/usr/bin/env node
import { serveStdio } from 'toolfold/node';
import { registry } from './registry.js';

serveStdio(registry);
