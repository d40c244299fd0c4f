/**
 * Groups of English words that people use for the same thing when they ask for a tool. To keep measurements fair, they were written without
 * knowledge of the tools and questions by which the search is measured.
 */
export const thesaurusData =
  'create add new make open start generate insert;generate produce create make compose;' +
  'initialize init bootstrap scaffold setup start;' +
  'delete remove erase drop trash destroy purge wipe discard;clear empty wipe reset flush clean;' +
  'list show browse enumerate display view all;get read fetch view look retrieve show obtain;' +
  'show display view present render see;update edit change modify alter revise adjust amend;' +
  'rename retitle relabel name call;rewrite rephrase reword paraphrase;replace substitute swap exchange;' +
  'search find lookup locate query discover seek;send post share deliver submit transmit dispatch;' +
  'forward redirect relay pass;reply respond answer response;publish post release announce broadcast;' +
  'move transfer relocate shift migrate;copy duplicate clone replicate mirror;' +
  'cancel abort stop halt terminate end;stop halt end terminate kill shutdown quit;' +
  'start begin launch run initiate commence;run execute launch invoke trigger perform start;' +
  'restart reboot reload reset relaunch;retry repeat rerun redo again;pause suspend hold freeze;' +
  'resume continue unpause proceed;approve accept confirm allow authorize permit;' +
  'reject decline deny refuse dismiss;confirm verify validate acknowledge;' +
  'check inspect examine test verify;review evaluate assess inspect audit;' +
  'evaluate assess judge rate appraise;merge combine join unite consolidate integrate;' +
  'split divide separate partition break;schedule plan book arrange program;' +
  'reschedule postpone move delay shift;book reserve reservation booking schedule;' +
  'assign allocate delegate give;restore recover undo revert rollback undelete;' +
  'backup snapshot copy save dump;save store keep persist record;upload attach import send add;' +
  'export download extract dump save;import load ingest upload;detach unlink disconnect separate remove;' +
  'convert transform translate change turn;translate translation language interpret;' +
  'compare diff contrast versus difference;count total number sum tally amount;' +
  'calculate compute calculation calculator math;average mean median;' +
  'forecast predict prediction projection outlook;estimate guess approximate estimation;' +
  'analyze analysis examine study evaluate;monitor watch track observe supervise;follow subscribe watch;' +
  'unfollow unsubscribe unwatch mute;subscribe subscription register signup;mute silence snooze ignore;' +
  'notify alert inform tell warn;remind reminder alert nudge;block ban forbid prevent restrict;' +
  'hide conceal mask;protect secure guard safeguard;encrypt cipher encode scramble;decrypt decode decipher;' +
  'filter narrow refine select;rank sort score rate;categorize classify group label tag;' +
  'tag label mark annotate;highlight mark emphasize;configure setup customize adjust set;' +
  'customize personalize tailor adapt;install setup add deploy;upgrade update modernize;' +
  'connect link attach join integrate;sync synchronize synchronise refresh update;' +
  'refresh reload update renew;renew extend prolong;extend prolong lengthen expand;' +
  'reduce decrease lower shrink cut;increase raise grow boost;fix repair solve correct resolve;' +
  'complete finish done close;fill complete enter populate;type enter input write;' +
  'write compose draft author;detect find identify spot recognize;click press tap push;' +
  'zoom magnify enlarge;resize scale shrink enlarge;crop cut trim;rotate turn flip;' +
  'debug troubleshoot diagnose investigate;investigate research probe examine;' +
  'explain describe clarify define;summarize summarise recap condense shorten digest;' +
  'recommend suggest advise propose;ask question inquire query;help assist support aid;' +
  'learn study practice;teach instruct train educate;join enter attend participate;leave exit quit;' +
  'login signin authenticate logon;logout signout logoff;grant give allow authorize;' +
  'revoke remove withdraw cancel;promote elevate upgrade advance;build compile make package;' +
  'pipeline ci workflow build automation;automate automation automatic script;' +
  'issue ticket bug defect task problem;bug defect error flaw fault glitch;task todo job assignment chore;' +
  'subtask child subissue;feature functionality capability enhancement;backlog todo queue;' +
  'sprint iteration cycle;milestone deadline goal target;project program initiative;roadmap plan timeline;' +
  'priority urgency importance severity;status state condition progress;deadline due date;' +
  'repository repo codebase;code source program script;snippet gist fragment sample;patch fix diff hotfix;' +
  'pullrequest pr mergerequest mr;version release revision edition;changelog history notes;' +
  'history log past timeline;category type kind class group;log logs output trace record;' +
  'error failure exception crash fault bug;crash failure breakdown freeze;' +
  'outage downtime incident disruption;performance speed latency throughput;latency delay lag slowness;' +
  'slow sluggish lagging;fast quick rapid;user account member person people;account user profile login;' +
  'person people human individual;team group squad crew;colleague coworker teammate;' +
  'employee staff worker personnel;manager boss supervisor lead;developer programmer engineer coder;' +
  'admin administrator owner superuser;contributor author collaborator;' +
  'permission access right role privilege;policy rule regulation;secret password credential token key;' +
  'password passcode credential pin;certificate cert ssl tls;security safety protection;' +
  'vulnerability weakness exposure flaw cve;threat risk danger;virus malware trojan;' +
  'privacy confidentiality gdpr;database db datastore store;table sheet grid;record row entry item;' +
  'column field attribute property;schema structure model definition;item element entry object;' +
  'package library module dependency;api endpoint interface;webhook callback hook;' +
  'result outcome output finding;variable parameter env;environment env stage;' +
  'computer pc machine laptop desktop;storage disk drive space;network internet connection;' +
  'dns domain nameserver;metric measure measurement statistic kpi;analytics statistics insight reporting;' +
  'insight finding analysis;dashboard panel overview board;chart graph plot diagram visualization;' +
  'draw sketch paint illustrate;cron schedule timer;timer countdown stopwatch alarm;' +
  'function method procedure;terminal shell console commandline;form questionnaire survey;' +
  'survey poll questionnaire;popup dialog modal alert;screenshot screengrab capture snapshot;' +
  'comment remark note reply feedback;note memo remark annotation;feedback opinion review comment;' +
  'rating score stars review;reaction emoji like;like favorite upvote heart;' +
  'favorite favourite bookmark star;vote poll ballot;forum board community;' +
  'template blueprint boilerplate layout;spreadsheet excel sheet workbook;' +
  'presentation slide deck powerpoint;page site website webpage;title name heading headline subject;' +
  'description details summary text;mail email message letter;inbox mailbox mail;' +
  'newsletter mailing bulletin;recipient addressee receiver;sms text message;' +
  'calendar agenda schedule diary;event occasion happening;attendee participant guest;' +
  'timesheet hours timecard;today now current;old previous past former;' +
  'refund reimbursement repayment chargeback;expense cost spending expenditure;' +
  'customer client buyer consumer;supplier vendor provider seller;seller vendor merchant retailer;' +
  'partner affiliate associate;buy purchase order shop;product item article goods merchandise;' +
  'offer deal proposal;quote quotation estimate offer;checkout pay purchase;shop store retailer;' +
  'subscription plan membership;budget allowance funds;balance funds account;money cash funds;' +
  'loan credit mortgage;debt loan liability;tax vat duty;salary wage payroll pay;bonus reward incentive;' +
  'commission fee percentage;contract agreement deal;law legal legislation statute;lawyer attorney legal;' +
  'campaign promotion marketing;marketing advertising promotion;audience target segment;' +
  'competitor rival competition;revenue income sales turnover;profit gain earnings margin;' +
  'income earnings revenue salary;accounting bookkeeping finance;finance financial money;' +
  'warehouse depot storage;complaint issue grievance;support help helpdesk service;strategy plan approach;' +
  'goal objective target aim;internet web online;visit open navigate browse;seo ranking optimization;' +
  'keyword term phrase;traffic visitors visits;picture image photo photograph;color colour shade;' +
  'design layout style;background wallpaper backdrop;video clip movie film;movie film cinema;' +
  'stream streaming broadcast;transcribe transcript transcription;podcast episode show;playlist queue mix;' +
  'concert gig show;nearby near close around;coordinates latitude longitude gps;' +
  'weather forecast temperature climate;temperature heat degree;rain rainfall shower precipitation;' +
  'storm hurricane thunderstorm;earthquake quake tremor;train rail railway;subway metro underground tube;' +
  'car vehicle auto automobile;taxi cab ride;itinerary plan route;attraction sight landmark;' +
  'hotel lodging accommodation hostel;restaurant diner eatery cafe;food meal dish cuisine;' +
  'meal dinner lunch breakfast;recipe dish cooking;cook bake prepare;skill ability competence;' +
  'newspaper press journal;invest investment investing;portfolio holdings investments;' +
  'cryptocurrency crypto bitcoin coin;health wellness medical;sport sports game;doctor physician medic;' +
  'medicine drug medication;illness disease sickness;vaccine shot jab;documentation docs manual reference;' +
  'school university college;student pupil learner;teacher tutor instructor;quiz trivia test;' +
  'book novel ebook;poem poetry verse;story tale narrative;joke humor funny;research study investigation;' +
  'citation reference source;math mathematics arithmetic;beauty makeup cosmetics;' +
  'horoscope zodiac astrology;phone mobile smartphone telephone;app application software program;' +
  'deploy release ship rollout launch;push upload publish;open launch access;resolve close settle solve;' +
  'close finish shut end;disable deactivate off;call phone ring dial telephone;identifier id number;' +
  'list array collection;kanban board card;assignee owner responsible;estimate effort size;' +
  'effort workload hours;cluster fleet nodes;score points result;availability free slot vacant;' +
  'ledger journal bookkeeping;contact phonebook addressbook;stock share equity ticker;' +
  'currency forex dollar euro;exam test quiz assessment;print printout hardcopy;sort order arrange rank;' +
  'series show tv episode;fixture match game;lyrics words verse;compress zip pack;' +
  'extract unzip decompress unpack;wait pause sleep delay;signature sign esign;timezone zone utc;' +
  'folder directory dir;resume cv curriculum;rent lease rental;gift present surprise;cart basket bag;' +
  'inventory stock warehouse supply;warranty guarantee coverage;candidate applicant jobseeker;' +
  'invitation invite rsvp;spam junk phishing;memory ram heap;cpu processor core;hospital clinic medical;' +
  'symptom pain sign;fund etf asset;city town village municipality;wind breeze gust;' +
  'pollution smog aqi smoke;airport terminal gate;bus coach shuttle;drink beverage cocktail wine beer;' +
  'interview screening hiring;tenant renter occupant;homework assignment exercise;' +
  'puzzle riddle crossword brainteaser;game play gaming videogame;party celebration birthday anniversary;' +
  'dictionary vocabulary glossary thesaurus;formula equation expression;' +
  'percent percentage ratio proportion;random chance dice lottery;pet animal dog cat;' +
  'plant flower garden gardening houseplant;religion faith belief church;' +
  'space astronomy planet galaxy star;subtitle caption transcript;font typeface typography;' +
  'album record discography;reopen unresolve unclose;reviewer approver inspector;tourism sightseeing tour;' +
  'nutrition diet calorie protein;light lamp bulb;thermostat heating temperature;camera webcam lens;' +
  'return refund exchange;decision choice verdict;science research study;author writer novelist;' +
  'parking garage carpark;bank banking account;unit measure measurement;request ask apply;' +
  'enable activate allow;select choose pick;attach append upload include;' +
  'improve enhance optimize better tune;discuss talk chat speak debate;fork copy clone;pull fetch download;' +
  'commit revision changeset change;notification alert notice warning alarm ping;' +
  'test experiment trial check;profile bio account;member participant user;' +
  'company organization organisation org business firm enterprise;breach attack hack leak exploit exposure;' +
  'component part module element;setting option configuration config preference parameter;' +
  'container docker pod workload;server host machine computer instance vm;' +
  'statistics stats statistic analytics numbers figures;diagram flowchart drawing schema;' +
  'conversation discussion thread chat dialogue debate;file document doc attachment paper;' +
  'text content wording body;paragraph section passage chapter;meeting appointment call conference booking;' +
  'vacation holiday leave absence;latest recent newest last new current;invoice bill receipt;' +
  'payment transaction pay charge settle;sale sell selling sales;' +
  'coupon discount voucher promo deal promotion;report summary overview recap statement;' +
  'lead prospect opportunity deal;shipping delivery shipment parcel package courier;' +
  'url link hyperlink address;scrape crawl extract harvest spider;post article blog story entry;' +
  'trend trending popular hot viral;logo icon symbol emblem;audio sound voice speech;' +
  'song music track tune melody;singer artist musician vocalist band;' +
  'map route directions navigation path way;place location position spot venue address;' +
  'trip travel journey tour vacation;job career vacancy position opening profession;' +
  'recruit hire employ headhunt;apartment flat condo house home property;news headline press bulletin;' +
  'fitness workout exercise training gym;grammar spelling proofread typo correct;' +
  'clothes clothing fashion outfit apparel;device gadget hardware equipment;industry sector market;' +
  'definition meaning explanation define;country nation land;flight plane airplane airline airfare;' +
  'ad advertisement advertising commercial marketing;tweet twitter hashtag;cost price fee rate expense;' +
  'guide manual handbook tutorial howto;course lesson class lecture training;' +
  'charity donation nonprofit donate fundraising;abstract summary recap digest';
