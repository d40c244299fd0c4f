#!/usr/bin/env node
import { serveStdio } from 'toolfold/node';
import server from './server.js';

serveStdio(server.registry, server.stdio);
